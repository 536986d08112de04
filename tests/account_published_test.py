"""discreet account against published values and against closed forms computed here, independently, in a few lines each."""
import math
import unittest

from support import answer, discreet


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gaussian_delta(epsilon, mu):
    """δ(ε) of μ-GDP: Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) (Balle-Wang 2018, Theorem 8; Dong-Roth-Su 2019, Corollary 1)."""
    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


def laplace_delta(epsilon, scale):
    """δ(ε) of one continuous Laplace draw, Δ = 1: 1 − e^((ε − 1/b)/2) for ε ≤ 1/b."""
    return max(0.0, 1 - math.exp((epsilon - 1 / scale) / 2))


def response_delta(epsilon, each, count):
    """δ(ε) of `count` randomized responses of two values: the hockey stick over the binomial of losses."""
    p = math.exp(each) / (1 + math.exp(each))
    total = 0.0
    for heads in range(count + 1):
        loss = each * (2 * heads - count)
        if loss > epsilon:
            mass = math.comb(count, heads) * p**heads * (1 - p) ** (count - heads)
            total += mass * (1 - math.exp(epsilon - loss))
    return total


def subsampled_renyi(q, sigma, alpha):
    """Rényi divergence of the Poisson-subsampled Gaussian at an integer order (Mironov-Talwar-Zhang 2019, section 3.3)."""
    total = sum(math.comb(alpha, k) * (1 - q) ** (alpha - k) * q**k * math.exp((k * k - k) / (2 * sigma**2)) for k in range(alpha + 1))
    return math.log(total) / (alpha - 1)


def optimal_composition(epsilon, delta, count):
    """The (ε', δ') pairs of Kairouz-Oh-Viswanath 2015, Theorem 3.3: ε' = (k − 2i)ε."""
    for i in range(count // 2 + 1):
        top = sum(math.comb(count, j) * (math.exp((count - j) * epsilon) - math.exp((count - 2 * i + j) * epsilon)) for j in range(i))
        share = top / (1 + math.exp(epsilon)) ** count
        yield (count - 2 * i) * epsilon, 1 - (1 - delta) ** count * (1 - share)


def interval(kind, *arguments):
    found = answer("account", *arguments)[kind]
    return found["lower"], found["upper"]


class Published(unittest.TestCase):
    def encloses(self, bounds, truth, slack=1e-9):
        self.assertLessEqual(bounds[0], truth * (1 + slack))
        self.assertGreaterEqual(bounds[1], truth * (1 - slack))

    def test_gaussian_at_sigma_1(self):
        # the value given by the analytic Gaussian mechanism for σ = Δ = 1
        low, high = interval("delta", "delta", "--epsilon", "1", "gaussian(sigma=1)")
        self.assertAlmostEqual(low, 0.12693673750664, delta=1e-13)
        self.assertAlmostEqual(high, 0.12693673750664, delta=1e-13)

    def test_analytic_gaussian_calibration(self):
        # Balle-Wang 2018 at ε = 1, δ = 1e-5: σ = 3.730632 (their code's output)
        found = answer("account", "calibrate", "--epsilon", "1", "--delta", "1e-5", "gaussian(sigma=?)")
        self.assertEqual(found["unknown"], "sigma")
        self.assertAlmostEqual(found["value"], 3.730632, delta=1e-5)
        self.assertLessEqual(gaussian_delta(1, 1 / found["value"]), 1e-5)
        self.assertGreater(gaussian_delta(1, 1 / (found["value"] * 0.999)), 1e-5, "a little less noise would not do")

    def test_zcdp_conversion(self):
        # Canonne-Kamath-Steinke 2020, Proposition 7, minimised over the order
        self.assertAlmostEqual(interval("delta", "delta", "--epsilon", "0.25", "zcdp(rho=0.05)")[1], 0.08177275, delta=1e-7)

    def test_optimal_composition_of_thirty(self):
        # Kairouz-Oh-Viswanath: 30 × (1, 0.001); every pair of the theorem must be met
        for epsilon, delta in optimal_composition(1.0, 0.001, 30):
            if delta < 0.999:
                found = interval("delta", "delta", "--epsilon", repr(epsilon), "--accountant", "optimal", "dp(epsilon=1,delta=0.001)*30")[1]
                self.assertAlmostEqual(found, delta, delta=1e-6 * delta + 1e-12)

    def test_subsampled_gaussian_renyi(self):
        for q, sigma, alpha in [(0.01, 1, 2), (0.01, 1, 8), (0.05, 0.8, 5), (0.1, 2, 20), (0.001, 4, 64)]:
            found = answer("account", "renyi", "--alpha", alpha, f"poisson({q}, gaussian(sigma={sigma}))")["renyi"]
            self.assertAlmostEqual(found / subsampled_renyi(q, sigma, alpha), 1, delta=1e-6)

    def test_renyi_at_fractional_orders_lies_between_its_neighbours(self):
        event = "poisson(0.02, gaussian(sigma=0.9))"
        values = [answer("account", "renyi", "--alpha", alpha, event)["renyi"] for alpha in ["1.01", "1.5", "2", "2.5", "3", "3.7", "4", "40.5"]]
        self.assertEqual(values, sorted(values))
        self.assertTrue(all(0 < value < math.inf for value in values))
        # and (α−1)·D_α is convex in α: the chord lies above
        at = lambda alpha: (alpha - 1) * answer("account", "renyi", "--alpha", alpha, event)["renyi"]
        self.assertLessEqual(at(2.5), (at(2) + at(3)) / 2)

    def test_mnist_settings(self):
        # Abadi et al. 2016, figure 2: q = 0.01, σ = 4, 10^4 steps, δ = 1e-5: the moments accountant gives ε ≈ 1.26, strong composition 9.34
        rdp = interval("epsilon", "epsilon", "--delta", "1e-5", "--accountant", "rdp", "poisson(0.01, gaussian(sigma=4))*10000")[1]
        self.assertLess(rdp, 1.26)
        low, high = interval("epsilon", "epsilon", "--delta", "1e-5", "poisson(0.01, gaussian(sigma=4))*10000")
        self.assertLess(high, rdp)
        self.assertGreater(low, 0.8)


class ClosedForms(unittest.TestCase):
    encloses = Published.encloses

    def test_compositions_of_gaussians(self):
        for sigma, count in [(1, 1), (1, 4), (3, 9), (20, 1000), (0.3, 1), (100, 7)]:
            mu = math.sqrt(count) / sigma
            for epsilon in [0.1, 1, 3]:
                truth = gaussian_delta(epsilon, mu)
                if truth > 1e-14:
                    self.encloses(interval("delta", "delta", "--epsilon", epsilon, f"gaussian(sigma={sigma})*{count}"), truth)
        # different σ add up as 1/σ²
        truth = gaussian_delta(1, math.sqrt(1 / 4 + 1 / 9))
        self.encloses(interval("delta", "delta", "--epsilon", 1, "gaussian(sigma=2)", "gaussian(sigma=3)"), truth)
        # the twin: the truth of another σ is outside
        low, high = interval("delta", "delta", "--epsilon", 1, "gaussian(sigma=2)", "gaussian(sigma=3)")
        self.assertFalse(low <= gaussian_delta(1, math.sqrt(1 / 4 + 1 / 9) * 1.02) <= high)

    def test_laplace(self):
        for scale in [0.5, 1, 4]:
            for epsilon in [0.05, 0.2, 1]:
                self.encloses(interval("delta", "delta", "--epsilon", epsilon, f"laplace(scale={scale})"), laplace_delta(epsilon, scale))

    def test_grid_noise_has_its_own_loss(self):
        # geometric noise at one grid step loses like randomized response: δ(0) = (e−1)/(e+1), 0.462 where the continuous one has 0.393
        low, high = interval("delta", "delta", "--epsilon", "0", "discrete-laplace(scale=1)")
        self.assertAlmostEqual(high, (math.e - 1) / (math.e + 1), delta=1e-6)
        self.assertAlmostEqual(interval("delta", "delta", "--epsilon", "0", "laplace(scale=1)")[1], 1 - math.exp(-0.5), delta=1e-6)

    def test_randomized_responses(self):
        for each, count in [(1, 1), (0.5, 10), (0.1, 100), (1, 30)]:
            for epsilon in [0.3, 2]:
                self.encloses(interval("delta", "delta", "--epsilon", epsilon, f"randomized-response(k=2,epsilon={each})*{count}"), response_delta(epsilon, each, count), 1e-6)

    def test_accountants_agree_in_order(self):
        for event in ["poisson(0.01, gaussian(sigma=1))*1000", "laplace(scale=10)*50", "gaussian(sigma=5)*10"]:
            upper = {}
            for accountant in ["basic", "advanced", "optimal", "zcdp", "rdp", "gdp", "pld"]:
                done = discreet("account", "epsilon", "--delta", "1e-6", "--accountant", accountant, event, "--json")
                if done.returncode == 0:
                    upper[accountant] = answer("account", "epsilon", "--delta", "1e-6", "--accountant", accountant, event)["epsilon"]["upper"]
                else:
                    self.assertIn(accountant, done.stderr, "an accountant that can't says so by name")
            self.assertLessEqual(upper["pld"], upper["rdp"] * 1.0001)
            if "optimal" in upper:
                self.assertLessEqual(upper["optimal"], min(upper["basic"], upper["advanced"]) * (1 + 1e-9))

    def test_order_and_grouping_do_not_matter(self):
        a, b = "laplace(scale=3)*4", "gaussian(sigma=2)*3"
        one, other = interval("epsilon", "epsilon", "--delta", "1e-6", a, b), interval("epsilon", "epsilon", "--delta", "1e-6", b, a)
        self.assertAlmostEqual(one[1], other[1], delta=1e-6)
        split = interval("epsilon", "epsilon", "--delta", "1e-6", "laplace(scale=3)", "laplace(scale=3)*3", "gaussian(sigma=2)", "gaussian(sigma=2)*2")
        self.assertTrue(split[0] <= one[1] and one[0] <= split[1])

    def test_a_count_is_never_ignored(self):
        for event in ["gaussian(sigma=9)", "laplace(scale=9)", "discrete-gaussian(sigma=9)", "discrete-laplace(scale=9)", "randomized-response(k=3,epsilon=0.1)",
                      "exponential(epsilon=0.1)", "dp(epsilon=0.1,delta=1e-9)", "zcdp(rho=0.01)", "poisson(0.1, gaussian(sigma=2))"]:
            once, often = (interval("epsilon", "epsilon", "--delta", "1e-6", f"{event}*{count}")[1] for count in [1, 20])
            self.assertGreater(often, once * 1.5, event)

    def test_tiny_deltas_do_not_collapse(self):
        for delta in ["1e-12", "1e-15"]:
            low, high = interval("epsilon", "epsilon", "--delta", delta, "poisson(0.01, gaussian(sigma=1))*1000")
            self.assertGreater(low, 0)
            self.assertLess(high / low, 1.05)

    def test_group(self):
        # (kε, δ(e^{kε} − 1)/(e^ε − 1))
        found = answer("account", "group", "--size", "3", "--epsilon", "1", "--delta", "1e-6")
        self.assertAlmostEqual(found["epsilon"], 3)
        self.assertAlmostEqual(found["delta"], 1e-6 * (math.exp(3) - 1) / (math.e - 1), delta=1e-15)

    def test_tradeoff(self):
        # G_μ(a) = Φ(Φ⁻¹(1−a) − μ): at a = Φ(−1), μ = 1 the miss probability is 1/2
        found = answer("account", "tradeoff", "gaussian(sigma=1)", "--fa", repr(phi(-1)))["md"]
        self.assertAlmostEqual(found, 0.5, delta=2e-3)
        points = answer("account", "tradeoff", "laplace(scale=1)", "--points", "20")["points"]
        self.assertTrue(all(a <= b for (a, _), (b, _) in zip(points, points[1:])))
        self.assertTrue(all(y >= z for (_, y), (_, z) in zip(points, points[1:])))

    def test_mistakes_have_a_caret(self):
        for event, place in [("gausian(sigma=1)", "gaussian"), ("gaussian(sgma=1)", "sigma"), ("gaussian(sigma=0)", "sigma"), ("poisson(2, gaussian(sigma=1))", "2"),
                             ("gaussian(sigma=1)*-1", "*"), ("gaussian(sigma=1", "gaussian"), ("", ""), ("gaussian(sigma=nan)", "nan")]:
            done = discreet("account", "epsilon", "--delta", "1e-5", event)
            self.assertEqual((done.returncode, done.stdout), (2, ""), event)
            self.assertIn(place, done.stderr)
            if event:
                self.assertIn("^", done.stderr)
        for delta in ["1", "-1", "nan", "2"]:
            self.assertEqual(discreet("account", "epsilon", "--delta", delta, "gaussian(sigma=1)").returncode, 2, delta)


if __name__ == "__main__":
    unittest.main()
