import { ANSWER_RESULTS, type CallView, CONSENT_RESULTS, GUARDRAIL_ACTIONS, GUARDRAIL_SIDES } from '@app/calls';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

class AnsweringMachineEvidenceDto {
  @ApiProperty({
    type: 'string',
    description: 'Reason for the decision, as in the event `answered_by`.',
    example: 'long_greeting',
  })
  reason: string;

  @ApiProperty({ type: 'integer', description: 'Speech of the greeting without its pauses, in milliseconds.' })
  greeting_ms: number;

  @ApiProperty({
    type: 'integer',
    description: 'Words of the greeting: runs of voice with 0.2 s of silence between them.',
  })
  words: number;

  @ApiProperty({ type: 'integer', description: 'Longest pause of the greeting in milliseconds.' })
  longest_pause_ms: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: 'Ends of the beeps, in milliseconds of audio since the answer.',
    example: [],
  })
  beeps_ms: number[];

  @ApiProperty({
    type: 'string',
    enum: ['fax', 'intercept', null],
    nullable: true,
    description: 'Signal of a fax, or the three tones before an announcement of the network.',
    example: null,
  })
  tone: 'fax' | 'intercept' | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'Words of machines in the transcript. Empty without a transcript.',
    example: ['leave a message'],
  })
  keywords: string[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'Audio before the answer: `duration_ms`, `speech_ms` (music and tones do not count), `beeps_ms` and `tone`. Absent without any.',
    example: { duration_ms: 4_200, speech_ms: 0, beeps_ms: [], tone: null },
  })
  early_media?: Record<string, unknown>;
}

export class AnsweringMachineDto {
  @ApiProperty({
    type: 'string',
    enum: ANSWER_RESULTS,
    description:
      'What picked up. `ivr`: a menu or an announcement. `screening`: a service that asks callers who they are. Without words, other machines count as `voicemail`.',
    example: 'voicemail',
  })
  result: (typeof ANSWER_RESULTS)[number];

  @ApiProperty({ type: 'number', minimum: 0, maximum: 1, description: 'Confidence of the result.', example: 0.95 })
  confidence: number;

  @ApiProperty({ type: AnsweringMachineEvidenceDto, description: 'What the result is based on.' })
  evidence: AnsweringMachineEvidenceDto;

  @ApiProperty({
    type: 'integer',
    description: 'Audio before the decision, in milliseconds since the answer; for early media, since its beginning.',
    example: 2_840,
  })
  decided_after_ms: number;
}

/** What the other party heard of the disclosure. */
export class CallDisclosureDto implements NonNullable<CallView['disclosure']> {
  @ApiProperty({ type: 'string', description: 'Language of the sentence.', example: 'en' })
  language: string;

  @ApiProperty({ type: 'integer', description: 'Played audio in milliseconds.', example: 3_420 })
  heard_ms: number;

  @ApiProperty({
    type: 'integer',
    description: 'Length of the sentence in milliseconds; estimated when it was not generated to its end.',
    example: 3_420,
  })
  of_ms: number;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When the sentence ended, or the call before it.',
    example: '2026-01-02T03:04:09.345+00:00',
  })
  at: string;
}

/** A rule of the agent that applied. The event `guardrail_hit` has the words. */
export class CallGuardrailHitDto {
  @ApiProperty({ type: 'string', description: 'Name of the rule.', example: 'no_guarantees' })
  name: string;

  @ApiProperty({ type: 'string', enum: GUARDRAIL_SIDES, description: 'Whose words were judged.', example: 'agent' })
  on: (typeof GUARDRAIL_SIDES)[number];

  @ApiProperty({ type: 'string', enum: GUARDRAIL_ACTIONS, description: 'What the rule does.', example: 'replace' })
  action: (typeof GUARDRAIL_ACTIONS)[number];

  @ApiProperty({ type: 'integer', description: 'Time in milliseconds since the answer.', example: 8_120 })
  at_ms: number;

  @ApiProperty({ type: 'integer', description: 'Number of the latest turn of the call.', example: 4 })
  turn: number;
}

/** Whether the other party agreed to the recording. */
export class CallRecordingConsentDto implements NonNullable<CallView['recording_consent']> {
  @ApiProperty({
    type: 'string',
    enum: ['announce', 'ask'],
    description: 'Whether the recording was announced, or asked for.',
    example: 'ask',
  })
  mode: 'announce' | 'ask';

  @ApiProperty({
    type: 'string',
    enum: CONSENT_RESULTS,
    description:
      'The recording exists after `announced` and `accepted` only. `no_answer`: the question was not answered. `not_asked`: a machine picked up, or the call was over before.',
    example: 'accepted',
  })
  result: (typeof CONSENT_RESULTS)[number];

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the result.',
    example: '2026-01-02T03:04:09.000+00:00',
  })
  at: string;
}
