import type { AnswerParts, MeasuresView } from '@app/calls';
import { ApiProperty } from '@nestjs/swagger';
import { CallDto } from './call.dto.js';

const milliseconds = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

/** The parts of one answer, which add up to `heard_ms`. */
export class AnswerPartsDto implements AnswerParts {
  @ApiProperty(milliseconds("From the end of the user's input until the end of the turn was recognised.", 310))
  endpointing_ms: number;

  @ApiProperty(
    milliseconds(
      'Until the first token of the model, without tools. For speech-to-speech providers, until the first audio.',
      210,
    ),
  )
  model_ms: number;

  @ApiProperty(milliseconds('Running tools.', 0))
  tools_ms: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'From the first token to the first synthesised audio. Null for speech-to-speech providers, whose `model_ms` contains it.',
    example: 120,
  })
  synthesis_ms: number | null;

  @ApiProperty(milliseconds('From the first audio to its first packet to the phone.', 20))
  playout_ms: number;
}

class StreamQualityDto {
  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Mean opinion score from 1 to 4.5, estimated from loss, jitter, delay and codec (ITU-T G.107).',
    example: 4.38,
  })
  mos: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Share of lost packets, 0 to 1.', example: 0.0012 })
  loss_rate: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Interarrival jitter in milliseconds (RFC 3550).',
    example: 1.4,
  })
  jitter_ms: number | null;
}

class CallQualityDto {
  @ApiProperty({ type: 'number', nullable: true, description: '`mos` of the worse direction.', example: 4.35 })
  mos: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Codec at the end: `PCMU`, `PCMA` or `G722`; `L16` of a web call.',
    example: 'PCMU',
  })
  codec: string | null;

  @ApiProperty({ type: StreamQualityDto, description: 'Audio of the remote party, as Trunkline received it.' })
  received: StreamQualityDto;

  @ApiProperty({
    type: StreamQualityDto,
    nullable: true,
    description: 'Audio of the agent, as the remote party reports it (RTCP). Null if it sends no reports.',
  })
  sent: StreamQualityDto | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Round-trip time in milliseconds (RTCP). Null if the remote party sends no reports.',
    example: 42.5,
  })
  round_trip_ms: number | null;
}

class LatencySpreadDto {
  @ApiProperty(milliseconds('Mean in milliseconds.', 702))
  mean_ms: number;

  @ApiProperty(milliseconds('Median in milliseconds.', 660))
  p50_ms: number;

  @ApiProperty(milliseconds('90th percentile in milliseconds.', 910))
  p90_ms: number;

  @ApiProperty(milliseconds('Maximum in milliseconds.', 1240))
  max_ms: number;
}

const spreadOf = (description: string) => ({ type: LatencySpreadDto, description }) as const;

class CallLatencyDto {
  @ApiProperty({
    type: 'integer',
    description: 'Number of measured answers: the first audio after an input of the user.',
    example: 6,
  })
  answers: number;

  @ApiProperty(spreadOf("From the end of the user's speech, keys or text to the first audio sent to the phone."))
  total: LatencySpreadDto;

  @ApiProperty({ ...spreadOf('Part: until the end of the turn was recognised.'), nullable: true })
  endpointing: LatencySpreadDto | null;

  @ApiProperty({
    ...spreadOf(
      'Part: until the first token of the model, without tools. For speech-to-speech providers, until the first audio.',
    ),
    nullable: true,
  })
  model: LatencySpreadDto | null;

  @ApiProperty({ ...spreadOf('Part: running tools.'), nullable: true })
  tools: LatencySpreadDto | null;

  @ApiProperty({
    ...spreadOf('Part: from the first token to the first synthesised audio. Null for speech-to-speech providers.'),
    nullable: true,
  })
  synthesis: LatencySpreadDto | null;

  @ApiProperty({ ...spreadOf('Part: from the first audio to its first packet to the phone.'), nullable: true })
  playout: LatencySpreadDto | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Round trip of the network, by which the user hears every answer later than `total`. Null if the remote party sends no RTCP reports.',
    example: 43,
  })
  network_ms: number | null;
}

class InterruptionsDto {
  @ApiProperty({
    type: 'integer',
    description: 'How often speech or keys of the user stopped the agent.',
    example: 2,
  })
  by_user: number;

  @ApiProperty({ type: 'integer', description: 'Of these, stops by a sound without words.', example: 0 })
  false: number;

  @ApiProperty({
    type: 'integer',
    description: 'How often the agent went on because the user only acknowledged ("uh-huh"), or there was noise.',
    example: 1,
  })
  ignored: number;
}

class TurnCountsDto {
  @ApiProperty({ type: 'integer', description: 'Turns of the agent.', example: 7 })
  agent: number;

  @ApiProperty({ type: 'integer', description: 'Turns of the remote party.', example: 6 })
  user: number;
}

class TalkDto {
  @ApiProperty(milliseconds('Speech of the agent in milliseconds.', 31200))
  agent_ms: number;

  @ApiProperty(milliseconds('Speech of the remote party in milliseconds.', 18400))
  user_ms: number;

  @ApiProperty(milliseconds('Time in which neither spoke, until the agent left.', 12050))
  silence_ms: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: "The agent's share of all speech, 0 to 1. Null without speech.",
    example: 0.629,
  })
  agent_share: number | null;
}

const UNKNOWN =
  'Null for a call that is live, was not answered, was ended after the loss of its dialer, or is older than this field';

/** A call with the numbers of how it went. */
export class MeasuredCallDto extends CallDto implements MeasuresView {
  @ApiProperty({
    type: CallQualityDto,
    nullable: true,
    description: `Quality of the audio in both directions. ${UNKNOWN}, and without audio.`,
  })
  quality: CallQualityDto | null;

  @ApiProperty({
    type: CallLatencyDto,
    nullable: true,
    description: `How fast the agent answered, in total and by part. ${UNKNOWN}, and without a measured answer.`,
  })
  latency: CallLatencyDto | null;

  @ApiProperty({
    type: InterruptionsDto,
    nullable: true,
    description: `Interruptions of the agent. ${UNKNOWN}, and without an agent.`,
  })
  interruptions: InterruptionsDto | null;

  @ApiProperty({
    type: TurnCountsDto,
    nullable: true,
    description: `Number of turns. ${UNKNOWN}, and without an agent.`,
  })
  turns: TurnCountsDto | null;

  @ApiProperty({
    type: TalkDto,
    nullable: true,
    description: `Durations of speech and silence. ${UNKNOWN}, and without an agent.`,
  })
  talk: TalkDto | null;
}
