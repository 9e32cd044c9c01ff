import { agentRequest } from '@app/agents';
import { SchemaDto, StoredDto } from '../http/validation/schema-dto.js';

const { digit_inputs: digitInputs, recording_consent: recordingConsent } = agentRequest.shape;

const DIGIT_INPUT = {
  name: 'card_number',
  description: 'The number of the card that the caller pays with.',
  prompt: 'Please enter your card number, followed by the hash key.',
  retry_prompt: 'That was not a card number. Please enter it again.',
  min_length: 12,
  max_length: 19,
  finish_key: '#',
  timeout_seconds: 10,
  attempts: 2,
  secure: true,
  validate: 'luhn',
};

const CONSENT = {
  mode: 'ask',
  message: 'May we record this call? Press one for yes, or two for no.',
  language: 'de-DE',
  prefixes: ['+49', '+1415'],
  accept_keys: '1',
  on_refusal: 'continue_without_recording',
  refusal_message: 'Then we cannot talk. Goodbye.',
};

/** Digits that an agent may ask for. */
export class DigitInputDto extends StoredDto(digitInputs, DIGIT_INPUT) {}

export class DigitInputInputDto extends SchemaDto(digitInputs, DIGIT_INPUT) {}

/** How the other party learns of the recording, or agrees to it. */
export class RecordingConsentDto extends StoredDto(recordingConsent, CONSENT) {}

export class RecordingConsentInputDto extends SchemaDto(recordingConsent, CONSENT) {}
