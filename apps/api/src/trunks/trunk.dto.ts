import {
  HEALTH_STATES,
  type HealthState,
  type TrunkView,
  SRTP_POLICIES,
  type StoredDialFormats,
  TRANSFER_METHODS,
  TRUNK_TRANSPORTS,
  type TrunkTransport,
} from '@app/accounts';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../calls/call.dto.js';

const time = (description: string) =>
  ({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description,
    example: '2026-01-02T03:04:05.678+00:00',
  }) as const;

const STATE = 'whether it answered OPTIONS at the last check; `unknown` when nobody has asked lately.';

class TrunkTargetDto {
  @ApiProperty({ type: 'string', description: 'Host name or address.', example: 'sbc1.example.net' })
  host: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Null: the DNS or the transport decides.',
    example: 5061,
  })
  port: number | null;

  @ApiProperty({
    type: 'string',
    enum: TRUNK_TRANSPORTS,
    nullable: true,
    description: 'Null: the DNS decides (RFC 3263).',
    example: 'tls',
  })
  transport: TrunkTransport | null;

  @ApiProperty({ type: 'integer', description: 'Lower ones are tried first.', example: 10 })
  priority: number;

  @ApiProperty({ type: 'string', enum: HEALTH_STATES, description: `Of this target, ${STATE}`, example: 'up' })
  state: HealthState;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why it is down, for people.', example: null })
  reason: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'What it answered.', example: 200 })
  sip_status: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'How long that took, in milliseconds.', example: 12.3 })
  rtt_ms: number | null;

  @ApiProperty(time('Since when it is in this state.'))
  changed_at: string | null;
}

class TrunkTlsDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name in its certificate; null: the host.',
    example: null,
  })
  server_name: string | null;

  @ApiProperty({
    type: 'boolean',
    description: "Whether it has a `ca` of its own instead of the system's.",
    example: false,
  })
  own_authorities: boolean;

  @ApiProperty(time('When our certificate for it runs out; null without one.'))
  client_certificate_expires_at: string | null;
}

class TrunkExtensionsDto {
  @ApiProperty({ type: 'integer', description: 'Fewest digits of an extension.', example: 2 })
  min_digits: number;

  @ApiProperty({ type: 'integer', description: 'Most digits of an extension.', example: 5 })
  max_digits: number;
}

class TrunkDialFormatsDto implements StoredDialFormats {
  @ApiProperty({ type: TrunkExtensionsDto, description: 'User parts of digits alone, such as `sip:1001@…`.' })
  extensions: TrunkExtensionsDto;
}

class TrunkDto implements TrunkView {
  @ApiProperty({ type: 'integer', description: 'The `trunk_id` of calls.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Unique in the account.', example: 'carrier' })
  name: string;

  @ApiProperty({ type: 'boolean', description: 'Calls may go over it.', example: true })
  active: boolean;

  @ApiProperty({
    type: 'string',
    enum: HEALTH_STATES,
    description: `\`up\` as long as one target is; ${STATE} For information: calls are tried over a trunk that is down, too.`,
    example: 'up',
  })
  state: HealthState;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why it is not up, or not wholly, for people.',
    example: null,
  })
  reason: string | null;

  @ApiProperty(time('Since when it is in this state; null when it was never checked.'))
  changed_at: string | null;

  @ApiProperty(time('When a dialer asked last; null: never.'))
  checked_at: string | null;

  @ApiProperty({ type: [TrunkTargetDto], description: 'In the order in which they are tried.' })
  targets: TrunkTargetDto[];

  @ApiProperty({
    type: 'integer',
    description: 'Calls that occupy it now; the second leg of a transfer is one, too.',
    example: 2,
  })
  live_calls: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Calls at once; null: no limit of its own.',
    example: 10,
  })
  concurrent_calls: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Calls begun per second; null: no limit of its own.',
    example: 2,
  })
  calls_per_second: number | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Of the digest credentials.', example: 'acme' })
  username: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Host in From.', example: 'acme.example.net' })
  from_domain: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether calls carry P-Asserted-Identity.', example: false })
  assert_identity: boolean;

  @ApiProperty({ type: 'boolean', description: 'Whether numbers are marked `user=phone`.', example: true })
  user_phone: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Outbound trunk of LiveKit that calls go through instead, with `ENGINE=livekit`.',
    example: null,
  })
  livekit_trunk_id: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: "Headers of the INVITE, and the keys of the call's metadata they are taken from.",
    example: { 'X-Order-Id': 'order_id' },
  })
  headers: Record<string, string>;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: "In the order of preference; null: the dialer's.",
    example: ['PCMA', 'PCMU'],
  })
  codecs: string[] | null;

  @ApiProperty({ type: 'string', enum: SRTP_POLICIES, description: 'Whether the audio is encrypted.', example: 'off' })
  srtp: TrunkView['srtp'];

  @ApiProperty({ type: TrunkTlsDto, description: 'Of targets that are reached over TLS.' })
  tls: TrunkTlsDto;

  @ApiProperty({ type: 'string', enum: TRANSFER_METHODS, description: 'How calls are transferred.', example: 'bridge' })
  transfer: TrunkView['transfer'];

  @ApiProperty({
    type: TrunkDialFormatsDto,
    nullable: true,
    description: 'What may be dialled over it beside E.164 numbers and names; null: nothing else.',
  })
  dial_formats: TrunkDialFormatsDto | null;

  @ApiProperty({ type: 'integer', description: 'How often its health is asked for; 0: never.', example: 60 })
  options_ping_seconds: number;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it was made.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  created_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When its settings changed.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  updated_at: string;
}

export class FoundTrunkDto {
  @ApiProperty({ type: TrunkDto, description: 'The trunk.' })
  data: TrunkDto;
}

export class TrunkListDto {
  @ApiProperty({ type: [TrunkDto], description: 'The trunks of this page, by name.' })
  data: TrunkDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Where this page lies in the list.' })
  meta: PageMetaDto;
}
