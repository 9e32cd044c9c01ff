import type { CallWithResultsView } from '@app/calls';
import { type Matched, MATCHES } from '@app/knowledge';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FlowedCallDto } from './call-flow.dto.js';
import { AnswerPartsDto } from './call-measures.dto.js';

/** Times of an answer. */
class TurnLatencyDto {
  @ApiProperty({
    type: 'integer',
    description:
      "End of the user's speech or keys, or of the agent's words that they did not interrupt, in milliseconds since the answer of the call.",
    example: 5320,
  })
  input_ended_ms: number;

  @ApiProperty({ type: 'integer', description: 'The end of the turn was recognised.', example: 310 })
  endpoint_ms: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The model generated its first token. Absent for voice providers that do not report it.',
    example: 520,
  })
  first_token_ms?: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Duration of the tools that ran before the first audio. Absent: none ran.',
    example: 850,
  })
  tools_ms?: number;

  @ApiProperty({ type: 'integer', description: 'The first audio arrived from the voice provider.', example: 640 })
  first_audio_ms: number;

  @ApiProperty({ type: 'integer', description: 'The first audio was sent to the phone.', example: 660 })
  heard_ms: number;

  @ApiProperty({ type: AnswerPartsDto, description: 'The steps without overlap; they add up to `heard_ms`.' })
  parts: AnswerPartsDto;
}

export class TranscriptTurnDto {
  @ApiProperty({
    type: 'string',
    description: 'Speaker: `agent` or `callee`, which is the remote party in both directions.',
    example: 'agent',
  })
  role: string;

  @ApiProperty({ type: 'string', description: 'Spoken text.', example: 'Hello, how can I help you?' })
  text: string;

  @ApiProperty({ type: 'integer', description: 'Start in milliseconds since the answer.', example: 120 })
  started_ms: number;

  @ApiProperty({ type: 'integer', description: 'End in milliseconds since the answer.', example: 2340 })
  ended_ms: number;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent was interrupted.', example: false })
  truncated: boolean;

  @ApiPropertyOptional({
    type: TurnLatencyDto,
    description:
      "How fast the agent answered the user, in milliseconds from the end of the user's input. Only on the first turn after an input.",
  })
  latency?: TurnLatencyDto;
}

export class CostLineDto {
  @ApiProperty({ type: 'string', description: 'Kind of usage.', example: 'carrier_seconds' })
  kind: string;

  @ApiProperty({
    type: 'string',
    description: 'Human-readable description of the usage.',
    example: 'Carrier, seconds from the answer',
  })
  description: string;

  @ApiProperty({ type: 'number', description: 'Amount of usage.', example: 12 })
  quantity: number;

  @ApiProperty({ type: 'string', description: 'Unit of `quantity`.', example: 'second' })
  unit: string;

  @ApiProperty({ type: 'number', description: 'Price per unit in USD.', example: 0.0002 })
  unit_price: number;

  @ApiProperty({
    type: 'number',
    description: 'Amount in USD. The lines add up exactly to `cost`.',
    example: 0.0024,
  })
  amount: number;
}

/** A passage that was returned to the agent. */
export class FoundPassageDto {
  @ApiProperty({ type: 'string', description: 'Text of the passage.', example: 'Article 4711 costs three euros.' })
  text: string;

  @ApiProperty({ type: 'string', description: 'File name or URL; for text, the title.', example: 'prices.pdf' })
  source: string;

  @ApiProperty({ type: 'string', description: 'Title of the knowledge base.', example: 'Price list' })
  title: string;

  @ApiProperty({ type: 'number', description: 'Relevance from 0 to 1, comparable within one search.', example: 0.92 })
  score: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: MATCHES,
    description:
      'What found the passage: `words` of the question other than function words, its `meaning` (the vector is near to that of the question), or `both`. Absent in calls of earlier releases.',
    example: 'words',
  })
  matched?: Matched;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Page number, from 1. Null for sources without pages.',
    example: 2,
  })
  page: number | null;

  @ApiProperty({
    type: [String],
    description: 'Headings above the passage, outermost first.',
    example: ['Prices', 'Tea'],
  })
  heading_path: string[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    properties: { first: { type: 'integer' }, last: { type: 'integer' } },
    description: 'Table rows, from 1. Null for other text.',
    example: null,
  })
  rows: { first: number; last: number } | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description:
      'The table row that was found. `text` contains it with its neighbours and the column names. Null for other text.',
    example: null,
  })
  matched_row?: string | null;

  @ApiProperty({ type: 'integer', description: 'ID of the knowledge base.', example: 3 })
  knowledge_base_id: number;

  @ApiProperty({ type: 'string', description: 'ID of the chunk, as returned by the search endpoint.', example: '17' })
  chunk_id: string;
}

/** One knowledge search of the agent. */
export class KnowledgeSearchDto {
  @ApiProperty({ type: 'string', description: 'The `tool_call_id` in `tool_calls`.', example: 'tool-response-2' })
  tool_call_id: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'The first query.', example: 'price of 4711' })
  query: string | null;

  @ApiProperty({
    type: [String],
    description: 'All queries of the search: wordings of one question, searched together.',
    example: ['price of 4711', 'cost of article 4711'],
  })
  queries: string[];

  @ApiProperty({ type: [FoundPassageDto], description: 'Passages returned to the agent, best first.' })
  results: FoundPassageDto[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: '`{code, message}` of a failed search.',
    example: null,
  })
  error: Record<string, unknown> | null;

  @ApiProperty({ type: 'integer', description: 'Start in milliseconds since the answer.', example: 8120 })
  started_ms: number;

  @ApiProperty({ type: 'integer', description: 'End in milliseconds since the answer.', example: 8124 })
  ended_ms: number;
}

/** One call with its results. */
class CallWithResultsDto extends FlowedCallDto implements CallWithResultsView {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Summary of the conversation. Null until the call has ended, if it was not answered, and after the transcript was deleted.',
    example:
      'The agent spoke 8.2 s in 3 turns, the callee 4.1 s in 2 turns. Tools used: find_order. The agent ended the call.',
  })
  summary: string | null;

  @ApiProperty({
    type: [CostLineDto],
    description: 'Line items of `cost`, as in the post-call webhook. Empty unless the call is completed.',
  })
  costs: CostLineDto[];
}

export class FoundCallDto {
  @ApiProperty({ type: CallWithResultsDto, description: 'The call.' })
  data: CallWithResultsDto;
}

class TranscriptDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'ID of the call.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string;

  @ApiProperty({
    type: 'boolean',
    description: 'Whether the call has ended. Before, `turns` contains the finished turns.',
    example: true,
  })
  complete: boolean;

  @ApiProperty({
    type: [TranscriptTurnDto],
    description: 'All turns in order, as in `transcript` of the post-call webhook.',
  })
  turns: TranscriptTurnDto[];
}

export class FoundTranscriptDto {
  @ApiProperty({ type: TranscriptDto, description: 'The transcript.' })
  data: TranscriptDto;
}
