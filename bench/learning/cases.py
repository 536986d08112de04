"""What is trained: the options of `discreet learn sgd`, and how many of the test pictures must be told right."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    data: str  # mnist or fashion
    words: str
    epsilon: str
    required: float  # a share of the test pictures
    options: tuple


def deck(epsilon, required, pca_noise, epochs, rate, *more, layers="0.7071,0.7071"):
    """Abadi et al. 2016: 60 private principal components, 1000 hidden units, lots of 600, gradients cut to 4 (the two layers' parts to 4 times `layers`, whose squares add up to 1)."""
    return Case(f"mnist-deck-{epsilon}", "mnist", "MNIST, 60 private PCA + 1000 ReLU, lot 600, C = 4", epsilon, required,
                ("--model", "mlp:1000", "--pca", "60", "--pca-noise", pca_noise, "--lot", "600", "--clip", "4", "--layer-clips", layers, "--epochs", epochs,
                 "--learning-rate", rate, *more))


def scatter(data, words, required, lot, epochs, rate):
    return Case(f"{data}-scatter", data, words, "3", required,
                ("--model", "scatter", "--lot", lot, "--clip", "0.1", "--epochs", epochs, "--learning-rate", rate, "--optimiser", "momentum", "--momentum", "0.9"))


CASES = [
    deck("0.5", 0.90, "16", "20", "0.3->0.001"),
    deck("2", 0.95, "6", "60", "0.4->0.001"),
    deck("8", 0.97, "3", "120", "0.4->0.001", "--weight-decay", "0.0002", layers="0.4,0.9165"),
    scatter("mnist", "MNIST, scattering + linear", 0.985, "4096", "30", "8"),
    scatter("fashion", "Fashion-MNIST, scattering + linear", 0.89, "8192", "40", "16"),
]
