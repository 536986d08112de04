#include "discreet/sql/aggregate_form.h"

#include <algorithm>

namespace discreet::sql {

const AggregateForm::Spelling* find_spelling(const AggregateForm& form, std::string_view spelling) {
  for (const AggregateForm::Spelling& one : form.spellings)
    if (one.text == spelling) return &one;
  return nullptr;
}

const AggregateForm* find_form(const AggregateForms& forms, std::string_view spelling,
                               AggregateForm::Of of) {
  for (const AggregateForm* form : forms)
    if (form->of == of && !(form->distinct && of != AggregateForm::Of::kUnits) &&
        find_spelling(*form, spelling))
      return form;
  return nullptr;
}

const AggregateForm* find_form(const AggregateForms& forms, std::string_view spelling,
                               bool distinct) {
  for (const AggregateForm* form : forms)
    if (form->distinct == distinct && form->of != AggregateForm::Of::kRows &&
        form->of != AggregateForm::Of::kUnits && find_spelling(*form, spelling))
      return form;
  return nullptr;
}

bool is_aggregate(const AggregateForms& forms, const Term& term) {
  return term.kind == Term::Kind::kCall &&
         std::any_of(forms.begin(), forms.end(), [&](const AggregateForm* form) {
           return find_spelling(*form, term.name) != nullptr;
         });
}

bool has_aggregate(const AggregateForms& forms, const Term& term) {
  if (is_aggregate(forms, term)) return true;
  if (term.query) return false;
  bool found = false;
  each_part(term, [&](const Term& part) { found = found || has_aggregate(forms, part); });
  return found;
}

std::string list_of(const std::vector<std::string_view>& names) {
  std::vector<std::string_view> once;
  for (const std::string_view name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  std::string out;
  for (std::size_t i = 0; i < once.size(); ++i)
    out += std::string(i == 0 ? "" : i + 1 == once.size() ? " and " : ", ") + std::string(once[i]);
  return out;
}

}  // namespace discreet::sql
