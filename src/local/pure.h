// What "pure" protocols share (Wang, Blocki, Li and Jha 2017): a report supports the true value
// with probability p and any other with q, so that counts of supporting reports tell frequencies.
#pragma once

#include "discreet/local/protocol.h"

namespace discreet::local {

// Of one user's estimate of a frequency that is 0: q(1 − q)/(p − q)².
double pure_variance(const Ball& p, const Ball& q);
// Of one user's estimates, were the frequencies these. Given the people's values, a supporting
// report is a coin of bias p from those who hold v and q from the others:
//     (f·p(1−p) + (1−f)·q(1−q))/(p−q)².
std::vector<double> pure_variances(std::span<const double> frequencies, double p, double q);

// A variance for an error bar, from one at estimated frequencies. Few reports can say by chance
// that nobody or everybody holds a value, of which there may be next to no noise: that would be
// believed. V is linear in f with some slope b, and at an estimate e with V(e) = 0 the f that two
// standard errors of its own carry there, |f − e| = 2·√(V(f)/n), is 4b/n away: the score interval's
// far end (Wilson 1927). So a bar's variance is V(e)/n + (2b/n)². This is n times that.
double steadied(double variance, double slope, double users);

// The reports 0 … count−1, where a report is a number.
Result<std::vector<Word>> first_numbers(std::size_t count);

inline constexpr std::size_t kMostOutcomes = 1'000'000;

}  // namespace discreet::local
