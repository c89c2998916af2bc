"""The losses, once: logistic for verification, squared error for evaluation. F is mx.nd or mx.sym."""


def logistic_losses(F, logits, labels):
    """log(1 + exp(logit)) - label * logit, one for each pair."""
    return F.Activation(logits, act_type="softrelu") - logits * labels


def squared_errors(F, numbers, targets):
    return F.square(numbers - targets)


def report_parts(F, zero, verified, decoded) -> list:
    """What a report is put together from: both losses added up with their weights, logits, decoded numbers.

    Verified is (logits, labels, weights), decoded (numbers, targets, weights), or None where there are none.
    """
    losses, outputs = [], []
    for parts, each_loss in ((verified, logistic_losses), (decoded, squared_errors)):
        if parts is None:
            losses.append(zero)
        else:
            values, wanted, weights = parts
            losses.append(F.reshape(F.dot(each_loss(F, values, wanted), weights), (1,)))
            outputs.append(values)
    return losses + outputs
