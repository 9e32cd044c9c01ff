import {
  HEALTH_STATES,
  type HealthState,
  REGISTRATION_STATES,
  type RegistrationState,
  SRTP_POLICIES,
  type StoredDialFormats,
  TRANSFER_METHODS,
  TRUNK_TRANSPORTS,
  type TrunkTransport,
  type TrunkView,
} from '@app/accounts';
import { ApiProperty } from '@nestjs/swagger';
import { nullableTime } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';

const STATE = '`up` or `down` by the response to the last OPTIONS request, `unknown` without a recent check.';

class TrunkTargetDto {
  @ApiProperty({ type: 'string', description: 'Host name or IP address.', example: 'sbc1.example.net' })
  host: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Port. Null if DNS or the transport determines it.',
    example: 5061,
  })
  port: number | null;

  @ApiProperty({
    type: 'string',
    enum: TRUNK_TRANSPORTS,
    nullable: true,
    description: 'Transport. Null if DNS determines it (RFC 3263).',
    example: 'tls',
  })
  transport: TrunkTransport | null;

  @ApiProperty({ type: 'integer', description: 'Priority; targets with lower values are tried first.', example: 10 })
  priority: number;

  @ApiProperty({ type: 'string', enum: HEALTH_STATES, description: `Health of this target: ${STATE}`, example: 'up' })
  state: HealthState;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Human-readable reason why the target is down.',
    example: null,
  })
  reason: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'SIP status of the response.', example: 200 })
  sip_status: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Response time in milliseconds.', example: 12.3 })
  rtt_ms: number | null;

  @ApiProperty(nullableTime('Time of the last change of state.'))
  changed_at: string | null;
}

class TrunkTlsDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Server name expected in the certificate. Null if it is the host.',
    example: null,
  })
  server_name: string | null;

  @ApiProperty({
    type: 'boolean',
    description: 'Whether a configured `ca` replaces the certificate authorities of the system.',
    example: false,
  })
  own_authorities: boolean;

  @ApiProperty(nullableTime('Expiry of the client certificate. Null without one.'))
  client_certificate_expires_at: string | null;
}

class TrunkExtensionsDto {
  @ApiProperty({ type: 'integer', description: 'Minimum number of digits.', example: 2 })
  min_digits: number;

  @ApiProperty({ type: 'integer', description: 'Maximum number of digits.', example: 5 })
  max_digits: number;
}

class TrunkDialFormatsDto implements StoredDialFormats {
  @ApiProperty({
    type: TrunkExtensionsDto,
    description: 'Extensions: user parts that consist of digits, such as `sip:1001@…`.',
  })
  extensions: TrunkExtensionsDto;
}

class OutboundProxyDto {
  @ApiProperty({ type: 'string', description: 'Host name or IP address.', example: 'proxy.example.net' })
  host: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Port. Null if DNS determines it.', example: 5060 })
  port: number | null;

  @ApiProperty({
    type: 'string',
    enum: TRUNK_TRANSPORTS,
    nullable: true,
    description: 'Transport. Null if DNS determines it (RFC 3263).',
    example: 'udp',
  })
  transport: TrunkTransport | null;
}

class TrunkRegisterDto {
  @ApiProperty({ type: 'integer', description: 'Requested lifetime of the registration in seconds.', example: 3600 })
  expires: number;

  @ApiProperty({
    type: OutboundProxyDto,
    nullable: true,
    description: 'Server that takes the REGISTER instead of the targets. Null if there is none.',
  })
  outbound_proxy: OutboundProxyDto | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'User part of the registered address. Null if it is random.',
    example: '+15550001111',
  })
  contact_user: string | null;
}

export class TrunkRegistrationDto {
  @ApiProperty({
    type: 'string',
    enum: REGISTRATION_STATES,
    description:
      '`registered` while the carrier accepts the registration, `failed` until the next attempt, `unregistered` if no dialer keeps it.',
    example: 'registered',
  })
  state: RegistrationState;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Human-readable reason why the trunk is not registered.',
    example: null,
  })
  reason: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'SIP status of the last response.', example: 200 })
  sip_status: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Transport, address and port of the server that holds the registration.',
    example: 'udp:203.0.113.7:5060',
  })
  target: string | null;

  @ApiProperty(nullableTime('Time until which the carrier keeps the registration without a refresh.'))
  expires_at: string | null;

  @ApiProperty(nullableTime('Time of the next attempt after a failure.'))
  retry_at: string | null;

  @ApiProperty(nullableTime('Time of the last change of state.'))
  changed_at: string | null;
}

class TrunkInboundDto {
  @ApiProperty({ type: 'boolean', description: 'Whether inbound calls are accepted.', example: true })
  enabled: boolean;

  @ApiProperty({
    type: [String],
    description: 'Addresses and networks whose requests belong to the trunk.',
    example: ['203.0.113.0/24'],
  })
  addresses: string[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Digest user of requests from other addresses.',
    example: 'carrier-in',
  })
  username: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether a password is stored. It is never shown.', example: true })
  has_password: boolean;
}

class TrunkDto implements TrunkView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier: the `trunk_id` of calls.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name, unique in the account.', example: 'carrier' })
  name: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the trunk can be used for calls.', example: true })
  active: boolean;

  @ApiProperty({
    type: 'string',
    enum: HEALTH_STATES,
    description: `Health of the trunk: ${STATE} A trunk is \`up\` while at least one target is. Informational: calls are also attempted over a trunk that is down.`,
    example: 'up',
  })
  state: HealthState;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Human-readable reason why the trunk, or some of its targets, is not up.',
    example: null,
  })
  reason: string | null;

  @ApiProperty(nullableTime('Time of the last change of state. Null if the trunk was never checked.'))
  changed_at: string | null;

  @ApiProperty(nullableTime('Time of the last check by a dialer. Null if there was none.'))
  checked_at: string | null;

  @ApiProperty({ type: [TrunkTargetDto], description: 'Targets in the order in which they are tried.' })
  targets: TrunkTargetDto[];

  @ApiProperty({
    type: 'integer',
    description: 'Number of calls on the trunk now, including second legs of transfers.',
    example: 2,
  })
  live_calls: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Maximum number of concurrent calls. Null if the trunk has no limit.',
    example: 10,
  })
  concurrent_calls: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Maximum number of new calls per second. Null if the trunk has no limit.',
    example: 2,
  })
  calls_per_second: number | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Username of the digest credentials.', example: 'acme' })
  username: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether a password is stored. It is never shown.', example: true })
  has_password: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'Host of the From header.', example: 'acme.example.net' })
  from_domain: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether calls carry the P-Asserted-Identity header.', example: false })
  assert_identity: boolean;

  @ApiProperty({ type: 'boolean', description: 'Whether SIP URIs of phone numbers carry `user=phone`.', example: true })
  user_phone: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'ID of the LiveKit outbound trunk that carries the calls with `ENGINE=livekit`.',
    example: null,
  })
  livekit_trunk_id: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'INVITE headers, each with the `metadata` key of the call that provides its value.',
    example: { 'X-Order-Id': 'order_id' },
  })
  headers: Record<string, string>;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Headers of an incoming INVITE, each with the name of its value in the call.',
    example: { 'X-Customer': 'customer_id' },
  })
  inbound_headers: Record<string, string>;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Headers of BYE and REFER, each with the variable of the call that provides its value.',
    example: { 'X-Outcome': 'outcome' },
  })
  end_headers: Record<string, string>;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Codecs in order of preference. Null if the defaults of the dialer apply.',
    example: ['PCMA', 'PCMU'],
  })
  codecs: string[] | null;

  @ApiProperty({ type: 'string', enum: SRTP_POLICIES, description: 'SRTP policy for the audio.', example: 'off' })
  srtp: TrunkView['srtp'];

  @ApiProperty({ type: TrunkTlsDto, description: 'TLS settings for targets with the transport `tls`.' })
  tls: TrunkTlsDto;

  @ApiProperty({ type: 'string', enum: TRANSFER_METHODS, description: 'Transfer method.', example: 'bridge' })
  transfer: TrunkView['transfer'];

  @ApiProperty({
    type: TrunkDialFormatsDto,
    nullable: true,
    description: 'Further destinations that the trunk accepts besides E.164 numbers and names. Null if there are none.',
  })
  dial_formats: TrunkDialFormatsDto | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 8,
    maximum: 32,
    description:
      'Seconds from the INVITE to the last target until a call without any response ends as `no_response`. Null: 32.',
    example: 10,
  })
  response_timeout_seconds: number | null;

  @ApiProperty({ type: 'integer', description: 'Seconds between two health checks. 0 disables them.', example: 60 })
  options_ping_seconds: number;

  @ApiProperty({
    type: TrunkRegisterDto,
    nullable: true,
    description: 'Settings of the registration at the carrier. Null if the trunk is not registered.',
  })
  register: TrunkRegisterDto | null;

  @ApiProperty({
    type: TrunkRegistrationDto,
    nullable: true,
    description: 'State of the registration. Null if the trunk is not registered.',
  })
  registration: TrunkRegistrationDto | null;

  @ApiProperty({
    type: TrunkInboundDto,
    nullable: true,
    description: 'Inbound calls over the trunk. Null if none are accepted.',
  })
  inbound: TrunkInboundDto | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of creation.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  created_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the last change of its settings.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  updated_at: string;
}

export class FoundTrunkDto {
  @ApiProperty({ type: TrunkDto, description: 'The trunk.' })
  data: TrunkDto;
}

export class TrunkListDto {
  @ApiProperty({ type: [TrunkDto], description: 'The trunks on this page, sorted by name.' })
  data: TrunkDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class TrunkWithMessageDto extends FoundTrunkDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Trunk created successfully.' })
  message: string;
}

export class TrunkDeletedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Trunk deleted successfully.' })
  message: string;
}
