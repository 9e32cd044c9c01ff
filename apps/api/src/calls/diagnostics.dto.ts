import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { must } from '../http/validation/field-validators.js';

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
    description: 'Format of the response. `text` returns a ladder diagram. Defaults to the `Accept` header.',
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
    description: 'Time at which the message was first sent or received.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  at: string;

  @ApiProperty({
    type: 'integer',
    description: 'Milliseconds since the first message of the call.',
    example: 0,
  })
  offset_ms: number;

  @ApiProperty({ type: 'string', enum: ['in', 'out'], description: '`out`: sent by Trunkline.', example: 'out' })
  direction: 'in' | 'out';

  @ApiProperty({ type: 'string', description: 'Transport: `udp`, `tcp` or `tls`.', example: 'udp' })
  transport: string;

  @ApiProperty({
    type: 'string',
    description: 'Address and port of the sender; for Trunkline, the advertised ones.',
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
    description: 'CSeq; responses carry the CSeq of their request.',
    example: '1 INVITE',
  })
  cseq: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Number of retransmissions of the same bytes in the same direction.',
    example: 0,
  })
  retransmissions: number;

  @ApiProperty({
    type: [String],
    description: 'Times of the first 16 retransmissions.',
    example: [],
  })
  repeated_at: string[];

  @ApiProperty({
    type: 'string',
    description:
      'Complete message as sent on the wire. Digest responses, passwords and DTMF digits are replaced by the same number of asterisks, SRTP keys by the same number of letters.',
    example: 'INVITE sip:+15550002222@198.51.100.7 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK7d1…\r\n…',
  })
  message: string;
}

class RtpStatisticsDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Codec at the end of the leg: `PCMU`, `PCMA` or `G722`; `L16` of a web call.',
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
    description: 'Packets of the remote party that did not arrive, by sequence number (RFC 3550 A.3).',
    example: 3,
  })
  lost: number;

  @ApiProperty({ type: 'number', nullable: true, description: 'Share of lost packets, 0 to 1.', example: 0.0019 })
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
    description: 'Mean opinion score from 1 to 4.5, estimated from loss, jitter, delay and codec. Null without audio.',
    example: 4.3,
  })
  mos: number | null;

  @ApiProperty({
    type: 'integer',
    description: '20 ms frames that were not sent because the process was blocked.',
    example: 0,
  })
  late_frames: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Round-trip time in milliseconds (RTCP). Null if the remote party sends no RTCP.',
    example: 24.5,
  })
  rtt_ms: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Sent packets that the remote party reports as lost (RTCP).',
    example: 0,
  })
  remote_lost: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Jitter reported by the remote party, in milliseconds (RTCP).',
    example: 1.1,
  })
  remote_jitter_ms: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'As `mos`, of the sent audio, from the reports of the remote party. Null without reports.',
    example: 4.3,
  })
  remote_mos: number | null;

  @ApiProperty({
    type: 'string',
    isArray: true,
    enum: ['remote_lost', 'remote_jitter_ms', 'rtt_ms'],
    description:
      'Values reported by the remote party (RTCP) that are implausible, such as more lost packets than sent packets. They are excluded from these statistics, the MOS and the metrics.',
    example: [],
  })
  implausible: string[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Audio address in the SDP of the remote party to which sending is not allowed. Audio is sent to the source of the received packets instead.',
    example: null,
  })
  refused_address: string | null;
}

class LegDiagnosticsDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Number of the leg, from 1. A transfer adds a leg.',
    example: 1,
  })
  leg: number;

  @ApiProperty({
    type: 'string',
    enum: ['inbound', 'outbound'],
    description: 'Direction of the leg.',
    example: 'outbound',
  })
  direction: string;

  @ApiProperty({ type: [LadderStepDto], description: 'SIP messages of the leg in order.' })
  ladder: LadderStepDto[];

  @ApiProperty({
    type: RtpStatisticsDto,
    nullable: true,
    description: 'RTP statistics of the leg. Null while it is in progress, and without audio.',
  })
  rtp: RtpStatisticsDto | null;
}

class DiagnosticsDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'ID of the call.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string;

  @ApiProperty({ type: [LegDiagnosticsDto], description: 'Legs of the call. Empty if it was not dialled.' })
  legs: LegDiagnosticsDto[];

  @ApiProperty({
    type: 'integer',
    description: 'Number of messages beyond the limits of 200 messages and 256 KB, which are not kept.',
    example: 0,
  })
  left_out: number;

  @ApiProperty({
    type: 'string',
    format: 'uri',
    description: 'URL of the signalling as a capture file. Requires the same token.',
    example: 'http://localhost:3000/api/v1/calls/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11/diagnostics/sip.pcap',
  })
  pcap_url: string;
}

export class FoundDiagnosticsDto {
  @ApiProperty({ type: DiagnosticsDto, description: 'The diagnostics.' })
  data: DiagnosticsDto;
}
