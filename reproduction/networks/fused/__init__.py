"""C++ operators for the paper's two cells, compiled for this machine, and the engine that calls them.

They compute what cells.py says, as Gluon's rnn.LSTM does beside rnn.LSTMCell; only networks imports them.
"""
