import { apiTrunk, HEALTH_STATES, type HealthState, type TrunkTestView } from '@app/accounts';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { SchemaField } from '../http/validation/schema-field.js';
import { TrunkRegistrationDto } from './trunks.dto.js';

const { shape } = apiTrunk;

/** A trunk as in a workspace file; PEM as text only. */
export class CreateTrunkDto {
  @SchemaField(shape.name, 'carrier')
  name: string;

  @SchemaField(shape.host, 'sip.example.net')
  host?: string;

  @SchemaField(shape.port, 5060)
  port?: number | null;

  @SchemaField(shape.transport, 'udp')
  transport?: string;

  @SchemaField(shape.targets, [{ host: 'sbc1.example.net', port: 5061, transport: 'tls', priority: 10 }])
  targets?: object[];

  @SchemaField(shape.tls, { server_name: 'sip.example.net' })
  tls?: object | null;

  @SchemaField(shape.username, 'acme')
  username?: string | null;

  @SchemaField(shape.password, 'change-me')
  password?: string | null;

  @SchemaField(shape.from_domain, 'acme.example.net')
  from_domain?: string | null;

  @SchemaField(shape.assert_identity, false)
  assert_identity?: boolean;

  @SchemaField(shape.user_phone, true)
  user_phone?: boolean;

  @SchemaField(shape.headers, { 'X-Order-Id': 'order_id' })
  headers?: object | null;

  @SchemaField(shape.codecs, ['PCMA', 'PCMU'])
  codecs?: string[] | null;

  @SchemaField(shape.srtp, 'off')
  srtp?: string;

  @SchemaField(shape.transfer, 'bridge')
  transfer?: string;

  @SchemaField(shape.livekit_trunk_id, null)
  livekit_trunk_id?: string | null;

  @SchemaField(shape.dial_formats, { extensions: { min_digits: 2, max_digits: 5 } })
  dial_formats?: object | null;

  @SchemaField(shape.response_timeout_seconds, 10)
  response_timeout_seconds?: number | null;

  @SchemaField(shape.options_ping_seconds, 60)
  options_ping_seconds?: number;

  @SchemaField(shape.active, true)
  active?: boolean;

  @SchemaField(shape.concurrent_calls, 10)
  concurrent_calls?: number | null;

  @SchemaField(shape.calls_per_second, 2)
  calls_per_second?: number | null;

  @SchemaField(shape.register, { expires: 600 })
  register?: object | null;

  @SchemaField(shape.inbound, { username: 'carrier-in', password: 'change-me-too' })
  inbound?: object | null;
}

/** Absent fields stay unchanged, also those of `tls`, `register` and `inbound`. */
export class UpdateTrunkDto extends PartialType(CreateTrunkDto) {}

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
