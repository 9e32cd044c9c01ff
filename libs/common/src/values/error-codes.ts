/**
 * The codes of invalid fields and of ignored ones, with what they mean. Programs compare them: a code is neither renamed nor given for
 * another reason; new ones may be added.
 */
export const ERROR_CODES = {
  missing: 'The field is required, and it is absent, null or empty.',
  unknown_field: 'The request has no such field.',
  wrong_type: 'The value has another JSON type, such as text in place of a number.',
  invalid_format: 'The text does not have the required form, such as E.164, a URL, a UUID or a date.',
  invalid_choice: 'The value is not one of those that the field takes.',
  too_long: 'The text or the document has more characters or bytes than allowed.',
  too_short: 'The text has fewer characters than required.',
  too_many: 'The list or the object has more elements than allowed.',
  too_few: 'The list has fewer elements than required.',
  out_of_range: 'The number or the time is below or above what is allowed.',
  inexact_number: 'The number has more digits than JSON numbers keep; send it as text.',
  duplicate: 'The request gives the same value twice.',
  taken: 'Another record of the account has this value.',
  not_found: 'The field refers to a record that the account, or the agent, does not have.',
  inactive: 'The field refers to a record that is not active.',
  not_allowed: 'The field cannot be used together with other fields of the request, or in the state of the record.',
  blocked: 'A rule forbids the value: do-not-call list, destinations of the account, internal addresses.',
  limit_reached: 'The account has reached a limit, such as its queue or its daily spend.',
  unavailable: 'A provider or another system that the value needs is not configured or did not answer.',
  invalid: 'The value violates another rule; the sentence says which.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
