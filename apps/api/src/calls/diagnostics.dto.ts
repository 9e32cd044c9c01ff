import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { must } from '../http/validation-messages.js';

const FORMATS = ['json', 'text'] as const;

export const DIAGNOSTICS_TEXT = `Call 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11: completed, agent_hangup
2026-01-02T03:04:05.678+00:00, times in seconds since then

Leg 1, outbound, UDP
           192.0.2.1:5060                                  198.51.100.7:5060
                  |                                                |
    0.000         |-- INVITE sip:+15550002222@198.51.100.7 [SDP] ->|
    0.021         |<- 180 Ringing (INVITE) ------------------------|
`;

export class DiagnosticsQueryDto {
  @ApiPropertyOptional({
    enum: FORMATS,
    description: '`text` returns a ladder diagram; without it `Accept` decides.',
    example: 'json',
  })
  @IsOptional()
  @IsIn(FORMATS, { message: must.beOneOf })
  format?: (typeof FORMATS)[number];
}

class LadderStepDto {
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it was sent or received for the first time.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  at: string;

  @ApiProperty({
    type: 'integer',
    description: 'The same in milliseconds since the first message of the call.',
    example: 0,
  })
  offset_ms: number;

  @ApiProperty({ type: 'string', enum: ['in', 'out'], description: '`out`: sent by Trunkline.', example: 'out' })
  direction: 'in' | 'out';

  @ApiProperty({ type: 'string', description: 'Transport: `udp`, `tcp` or `tls`.', example: 'udp' })
  transport: string;

  @ApiProperty({
    type: 'string',
    description: 'Address and port of the sender; for our side the advertised ones.',
    example: '192.0.2.1:5060',
  })
  from: string;

  @ApiProperty({ type: 'string', description: 'Address and port of the receiver.', example: '198.51.100.7:5060' })
  to: string;

  @ApiProperty({
    type: 'string',
    description: 'Method and Request-URI of a request, status and reason of a response.',
    example: 'INVITE sip:+15550002222@198.51.100.7',
  })
  summary: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The CSeq: responses carry that of their request.',
    example: '1 INVITE',
  })
  cseq: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Retransmissions of the same bytes in the same direction.',
    example: 0,
  })
  retransmissions: number;

  @ApiProperty({
    type: [String],
    description: 'When; the first 16 times.',
    example: [],
  })
  repeated_at: string[];

  @ApiProperty({
    type: 'string',
    description:
      'The whole message as it was on the wire. Digest proofs, passwords and keyed digits are replaced by as many stars, SRTP keys by as many letters.',
    example: 'INVITE sip:+15550002222@198.51.100.7 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK7d1…\r\n…',
  })
  message: string;
}

class RtpStatisticsDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'On the wire at the end: `PCMU`, `PCMA` or `G722`.',
    example: 'PCMU',
  })
  codec: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether the audio was encrypted (SRTP).', example: false })
  srtp: boolean;

  @ApiProperty({ type: 'integer', description: 'Packets sent.', example: 1612 })
  sent: number;

  @ApiProperty({ type: 'integer', description: 'Packets received, without duplicates.', example: 1609 })
  received: number;

  @ApiProperty({
    type: 'integer',
    description: 'Packets of the remote party that did not arrive, by sequence numbers (RFC 3550 A.3).',
    example: 3,
  })
  lost: number;

  @ApiProperty({ type: 'number', nullable: true, description: 'Their share, 0 to 1.', example: 0.0019 })
  loss_rate: number | null;

  @ApiProperty({ type: 'integer', description: 'Packets that arrived after a later one.', example: 0 })
  reordered: number;

  @ApiProperty({ type: 'integer', description: 'Packets that arrived more than once.', example: 0 })
  duplicates: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Interarrival jitter in milliseconds (RFC 3550 6.4.1).',
    example: 0.8,
  })
  jitter_ms: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Mean opinion score 1 to 4.5, estimated from loss, jitter, delay and codec; null without audio.',
    example: 4.3,
  })
  mos: number | null;

  @ApiProperty({
    type: 'integer',
    description: 'Frames of 20 ms that were not sent, because the process was blocked.',
    example: 0,
  })
  late_frames: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Round trip in milliseconds by RTCP; null when the remote party sends no RTCP.',
    example: 24.5,
  })
  rtt_ms: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Our packets that the remote party reports as lost (RTCP).',
    example: 0,
  })
  remote_lost: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'The jitter that the remote party reports, in milliseconds (RTCP).',
    example: 1.1,
  })
  remote_jitter_ms: number | null;

  @ApiProperty({
    type: 'string',
    isArray: true,
    enum: ['remote_lost', 'remote_jitter_ms', 'rtt_ms'],
    description:
      'Figures that the remote party reported (RTCP) and that cannot be true, such as more packets lost than sent. They are left out of these figures, the MOS and the metrics.',
    example: [],
  })
  implausible: string[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The address that the remote party described for its audio when nothing may be sent there; audio goes to where theirs comes from.',
    example: null,
  })
  refused_address: string | null;
}

class LegDiagnosticsDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: '1 is the first leg; a transfer adds one.', example: 1 })
  leg: number;

  @ApiProperty({
    type: 'string',
    enum: ['inbound', 'outbound'],
    description: 'Direction of the leg.',
    example: 'outbound',
  })
  direction: string;

  @ApiProperty({ type: [LadderStepDto], description: 'Its SIP messages in order.' })
  ladder: LadderStepDto[];

  @ApiProperty({
    type: RtpStatisticsDto,
    nullable: true,
    description: 'Its audio; null while it lasts, and when there was none.',
  })
  rtp: RtpStatisticsDto | null;
}

class DiagnosticsDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'The call.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string;

  @ApiProperty({ type: [LegDiagnosticsDto], description: 'Empty when the call was not dialled.' })
  legs: LegDiagnosticsDto[];

  @ApiProperty({
    type: 'integer',
    description: 'Messages that were not kept, because the call had more than 200 of them or 256 KB.',
    example: 0,
  })
  left_out: number;

  @ApiProperty({
    type: 'string',
    format: 'uri',
    description: 'The signalling as a capture file; takes the same token.',
    example: 'http://localhost:3000/api/v1/calls/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11/diagnostics/sip.pcap',
  })
  pcap_url: string;
}

export class FoundDiagnosticsDto {
  @ApiProperty({ type: DiagnosticsDto, description: 'The diagnostics.' })
  data: DiagnosticsDto;
}
