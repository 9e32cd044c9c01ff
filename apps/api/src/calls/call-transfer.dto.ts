import { TRANSFER_MODES } from '@app/agents';
import { DECLINED_REASONS, TRANSFER_STATUSES, type TransferRecord } from '@app/calls';
import { HANGUP_CAUSES } from '@app/telephony';
import { ApiProperty } from '@nestjs/swagger';

const METHODS = ['bridge', 'refer'] as const;

/** One attempt to transfer the call. */
export class TransferDto implements TransferRecord {
  @ApiProperty({ type: 'string', description: 'Destination of the transfer.', example: '+15550002222' })
  to_number: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Caller ID shown to the destination. Null for `refer`, where the remote party places the call.',
    example: '+15550001111',
  })
  from_number: string | null;

  @ApiProperty({
    type: 'string',
    enum: METHODS,
    description:
      '`bridge`: Trunkline dials a second leg and connects both. `refer`: the remote party is asked to call the destination (SIP REFER).',
    example: 'bridge',
  })
  method: TransferRecord['method'];

  @ApiProperty({ type: 'string', enum: TRANSFER_STATUSES, description: 'State of the transfer.', example: 'completed' })
  status: TransferRecord['status'];

  @ApiProperty({
    type: 'string',
    enum: TRANSFER_MODES,
    description:
      '`cold`: connected at the answer. `warm`: the person was briefed first. `conference`: the same, and the agent stayed.',
    example: 'warm',
  })
  mode: TransferRecord['mode'];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name of the destination. Null: it has none.',
    example: 'support',
  })
  destination: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time at which the transfer started.',
    example: '2026-01-02T03:04:10.000+00:00',
  })
  started_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time at which the destination answered. Null if it did not.',
    example: '2026-01-02T03:04:14.000+00:00',
  })
  answered_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time at which the caller was connected with the destination. Null if it was not.',
    example: '2026-01-02T03:04:31.000+00:00',
  })
  joined_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time at which the transfer ended. Null while it is in progress.',
    example: '2026-01-02T03:05:20.000+00:00',
  })
  ended_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...HANGUP_CAUSES, null],
    nullable: true,
    description: 'Reason for the end of the second leg.',
    example: 'normal_clearing',
  })
  hangup_cause: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'SIP status of the response that rejected the transfer.',
    example: null,
  })
  sip_code: number | null;

  @ApiProperty({
    type: 'string',
    enum: ['key', 'voice', null],
    nullable: true,
    description: 'How the person accepted a warm transfer. Null: it was not accepted, or is cold.',
    example: 'key',
  })
  accepted_by: TransferRecord['accepted_by'];

  @ApiProperty({
    type: 'string',
    enum: [...DECLINED_REASONS, null],
    nullable: true,
    description:
      'Why an answered warm transfer was not connected: declined by `key` or `voice`, `no_reaction`, `hung_up`, `voicemail`, `fax`.',
    example: null,
  })
  declined_reason: TransferRecord['declined_reason'];
}
