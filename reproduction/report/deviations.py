"""Where this reproduction departs from the paper or from the authors' release, and why: the one list of it."""

from typing import NamedTuple

from .tables.formats import Column, Row, Section, Table


class Deviation(NamedTuple):
    """A topic, what the paper or its release does, what we do, and the reason."""

    topic: str
    theirs: str
    ours: str
    reason: str


DEVIATIONS = (
    Deviation(
        "Judge of correctness",
        "Sympy alone",
        "Two judges: rigorous ball arithmetic at sample points refutes, Sympy confirms; what neither settles is "
        "UNSURE, counted and kept apart",
        "Sympy alone calls undecided equations incorrect, and its own baseline is then judged by itself",
    ),
    Deviation(
        "Variables and branches",
        "Not stated",
        "Variables are real, functions take their principal complex branches",
        "Without a convention, identities such as those of inverse functions are neither true nor false",
    ),
    Deviation(
        "Matching of rules",
        "The release binds a variable anew at each place, so that wrong identities match",
        "Consistent binding, variables renamed apart; all axioms are true, and cover all 28 functions",
        "The release's matching makes wrong equations; 19 of its 25 unary functions occur in no axiom",
    ),
    Deviation(
        "Derived rules",
        "Every new equation becomes a rule",
        "Equations become rules for patterns of up to 7 nodes",
        "Larger patterns match little beyond the equation they came from, and slow every look-up down",
    ),
    Deviation(
        "Instantiation",
        "Not described",
        "A step that replaces a variable everywhere by a terminal or by a function of terminals",
        "It keeps an equation true, and lets equations without variables come from the axioms",
    ),
    Deviation(
        "Incorrect equations",
        "Local changes of known equations",
        "Local changes of correct equations, then the same steps that make the correct ones: most incorrect equations "
        "are rewritten incorrect ones. Symbols are drawn as often as they occur",
        "Otherwise counting symbols, or recognizing the last step, gives the label away",
    ),
    Deviation(
        "Size of the data set",
        "The text says 39 equations of depth 1; its total and its test-set sizes need 32",
        "32 of depth 1, and the paper's numbers for all other depths and labels",
        "The paper's own sums",
    ),
    Deviation(
        "Decimal trees",
        "Powers of ten are swapped in most trees of the release",
        "Every digit has its own power of ten; all digits occur",
        "2.5 is 2 × 10^0 + 5 × 10^(−1)",
    ),
    Deviation(
        "Constants",
        "The terminals of Table 1",
        "Also −2, −3 and −1/2, and the digits 5 to 9",
        "Axioms need the first, decimal trees the others",
    ),
    Deviation(
        "Splits",
        "Random 80/20 and one depth held out",
        "The same, and a strict split in which mirrored and renamed twins stay on one side",
        "In a random split many test equations have a twin in training; the strict numbers are free of that",
    ),
    Deviation(
        "Choice of the epoch",
        "No dev set: test is scored at every epoch and the best is reported",
        "A tenth of train is dev and chooses the epoch by accuracy, less the MSE of evaluations for models with data; "
        "best on test is printed beside it, marked",
        "The best of many looks at the test set is not an estimate of anything. Of seed 0 the test scores were in view "
        "while generator and defaults were settled: trust the other seeds more",
    ),
    Deviation(
        "Decoder",
        "Its output is not stated; in the release it ends in a sigmoid, so that most targets cannot be reached",
        "Linear output, squared error",
        "The paper's F Eval is an MSE of real numbers",
    ),
    Deviation(
        "Loss of an evaluation",
        "Both sides are decoded, and the loss is the squared error between them",
        "One side is decoded and compared with the number that the other side spells; numbers and signed numbers are "
        "decoded in examples of their own, the autoencoder",
        "Two decoded sides can agree on a wrong number",
    ),
    Deviation(
        "Incorrect function evaluations",
        "Part of the training data",
        "Not trained on; used to report F Eval as an accuracy, the poster's measure, too",
        "A squared error cannot learn from the statement that two numbers differ",
    ),
    Deviation(
        "Dropout",
        "0.2 or 0.3; in the release it is not passed below the root and never acts",
        "It acts on the vectors of all cells, with one mask for all nodes of a batch; 0 is a legal value",
        "A setting must do what it says; equal subtrees keep equal vectors, and a mask for every node did harm",
    ),
    Deviation(
        "Batches",
        "One equation at a time",
        "Many equations a batch, their common subtrees computed once, with a larger learning rate",
        "The same mathematics, many times faster",
    ),
    Deviation(
        "Terminals that are drawn",
        "Not stated",
        "By weight: x most often, then small numbers; every terminal of Table 1 occurs",
        "A function can be learned only at arguments that come back",
    ),
    Deviation(
        "Leaves",
        "A single layer over one-hot vectors; its squashing is not stated, in the release it is a sigmoid",
        "Squashed like the cells' own vectors: sigmoid under a TreeNN, tanh under a TreeLSTM; drawn as for one input",
        "With sigmoid leaves all dot products of two terminals are positive, and a TreeLSTM called every equation of "
        "two terminals true; dev accuracy rose with tanh",
    ),
    Deviation(
        "Regularization",
        "Dropout of 0.2 or 0.3 and L2 of 1e-4 or 1e-5, at batch size 1",
        "Dropout of 0.2 and L2 of 5e-5 for TreeLSTM, 0.1 and 3e-5 with data and a rate that falls in the second half, "
        "none for the others, as dev chose. A running average of the parameters is scored, for all models",
        "At our batch size and rate these raised dev accuracy; the paper's values are reachable by flags",
    ),
    Deviation(
        "Epochs",
        "100 for all models",
        "100 for the trees, 50 for RNN and LSTM",
        "Chains have their best epoch on dev before that, and are several times slower to train",
    ),
    Deviation(
        "Start of TreeNN",
        "Not stated",
        "The bias of the dot product starts at minus a quarter of the hidden size",
        "Sigmoid vectors have large dot products: without it the logistic function starts saturated",
    ),
    Deviation(
        "Sympy baseline",
        "Eq as it stands; version and time limit not stated",
        "The same, and simplify in a second row; 4 s of CPU time an equation; no answer counts as wrong",
        "10^(10^8) hangs Sympy",
    ),
    Deviation(
        "Completion",
        "What counts as a correct match is not stated",
        "A candidate is correct when the completed equation is true by the judge; undefined ones are not ranked; ties "
        "are broken by a seeded draw. Blanks have height 0 or 1; numeric blanks are arguments, without their sign",
        "Many fillings of a blank are right; saturated probabilities tie",
    ),
)


def deviations_table() -> Table:
    columns = tuple(map(Column, ("Topic", "The paper or its release", "Here", "Why")))
    rows = tuple(Row(deviation.topic, deviation[1:]) for deviation in DEVIATIONS)
    return Table("deviations", "Deviations from the paper", (Section("", columns, rows),))
