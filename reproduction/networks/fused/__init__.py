"""C++ operators for the paper's tree cells and for chains, compiled for this machine, and the engines that call them.

They compute what cells.py says, as Gluon's rnn.LSTM does beside rnn.LSTMCell; only networks imports them.
"""
