import { apiTrunk, HEALTH_STATES, type HealthState, type TrunkTestView } from '@app/accounts';
import { ApiProperty } from '@nestjs/swagger';
import { PartialDto, SchemaDto } from '../http/validation/schema-dto.js';
import { TrunkRegistrationDto } from './trunks.dto.js';

/** A trunk as in a workspace file; PEM as text only. */
export class CreateTrunkDto extends SchemaDto(apiTrunk, {
  name: 'carrier',
  host: 'sip.example.net',
  port: 5060,
  transport: 'udp',
  targets: [{ host: 'sbc1.example.net', port: 5061, transport: 'tls', priority: 10 }],
  tls: { server_name: 'sip.example.net' },
  username: 'acme',
  password: 'change-me',
  from_domain: 'acme.example.net',
  assert_identity: false,
  user_phone: true,
  headers: { 'X-Order-Id': 'order_id' },
  inbound_headers: { 'X-Customer': 'customer_id' },
  end_headers: { 'X-Outcome': 'outcome' },
  codecs: ['PCMA', 'PCMU'],
  srtp: 'off',
  transfer: 'bridge',
  livekit_trunk_id: null,
  dial_formats: { extensions: { min_digits: 2, max_digits: 5 } },
  response_timeout_seconds: 10,
  options_ping_seconds: 60,
  active: true,
  concurrent_calls: 10,
  calls_per_second: 2,
  register: { expires: 600 },
  inbound: { username: 'carrier-in', password: 'change-me-too' },
}) {}

/** Absent fields stay unchanged, also those of `tls`, `register` and `inbound`. */
export class UpdateTrunkDto extends PartialDto(CreateTrunkDto) {}

const SANDBOX = { name: 'sandbox by API', host: '127.0.0.1', port: 5070, transport: 'udp' };

export const CREATE_TRUNK_EXAMPLES = {
  sandbox: { summary: 'The sandbox phone of `npm start`', value: SANDBOX },
  carrier: {
    summary: 'A carrier with credentials',
    value: {
      name: 'carrier',
      host: 'sip.example.net',
      username: 'acme',
      password: 'change-me',
      concurrent_calls: 10,
      calls_per_second: 2,
    },
  },
  registered: {
    summary: 'A PBX or carrier that expects registration',
    value: {
      name: 'pbx',
      host: 'pbx.example.net',
      username: '1001',
      password: 'change-me',
      register: { expires: 600, contact_user: '+15550001111' },
    },
  },
  targets: {
    summary: 'A carrier with two hosts, TLS and SRTP',
    value: {
      name: 'carrier with two hosts',
      targets: [
        { host: 'sbc1.example.net', transport: 'tls', priority: 10 },
        { host: 'sbc2.example.net', transport: 'tls', priority: 20 },
      ],
      srtp: 'required',
    },
  },
};

export const UPDATE_TRUNK_EXAMPLES = {
  limits: { summary: 'Limits', value: { concurrent_calls: 20, calls_per_second: 5 } },
  inactive: { summary: 'No more calls', value: { active: false } },
};

class TestedTargetDto {
  @ApiProperty({ type: 'string', description: 'Host name or IP address.', example: 'sip.example.net' })
  host: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Port. Null if DNS determines it.', example: 5060 })
  port: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Transport. Null if DNS determines it (RFC 3263).',
    example: 'udp',
  })
  transport: string | null;

  @ApiProperty({ type: 'string', enum: ['up', 'down'], description: 'Whether the target responds.', example: 'up' })
  state: 'up' | 'down';

  @ApiProperty({ type: 'integer', nullable: true, description: 'SIP status of the response.', example: 200 })
  sip_status: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Response time in milliseconds.', example: 12.3 })
  rtt_ms: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Human-readable reason why the target is down.',
    example: null,
  })
  reason: string | null;
}

class TrunkTestDto implements TrunkTestView {
  @ApiProperty({
    type: 'string',
    enum: HEALTH_STATES,
    description: '`up` if at least one target responds.',
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

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the result.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  checked_at: string;

  @ApiProperty({ type: [TestedTargetDto], description: 'The targets in the order in which calls try them.' })
  targets: TestedTargetDto[];

  @ApiProperty({
    type: TrunkRegistrationDto,
    nullable: true,
    description: 'The result of a new REGISTER. Null if the trunk is not registered.',
  })
  registration: TrunkRegistrationDto | null;
}

export class TestedTrunkDto {
  @ApiProperty({ type: TrunkTestDto, description: 'The responses of the targets.' })
  data: TrunkTestDto;
}
