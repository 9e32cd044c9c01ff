import type { TransferRecord } from '@app/calls';
import { HANGUP_CAUSES } from '@app/telephony';
import { ApiProperty } from '@nestjs/swagger';

const METHODS = ['bridge', 'refer'] as const;
const STATUSES = [
  ...['dialing', 'ringing', 'in_progress', 'completed', 'busy', 'no_answer', 'failed', 'cancelled'],
] as TransferRecord['status'][];

/** One attempt to transfer the call. */
export class TransferDto implements TransferRecord {
  @ApiProperty({ type: 'string', description: 'The number that was called.', example: '+15550002222' })
  to_number: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The number that the other party saw; null for `refer`, where the remote party places the call.',
    example: '+15550001111',
  })
  from_number: string | null;

  @ApiProperty({
    type: 'string',
    enum: METHODS,
    description:
      '`bridge`: a second leg, joined with the first. `refer`: the remote party was asked to call (SIP REFER).',
    example: 'bridge',
  })
  method: TransferRecord['method'];

  @ApiProperty({ type: 'string', enum: STATUSES, description: 'State of the transfer.', example: 'completed' })
  status: TransferRecord['status'];

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it began.',
    example: '2026-01-02T03:04:10.000+00:00',
  })
  started_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the other party answered; null if it did not.',
    example: '2026-01-02T03:04:14.000+00:00',
  })
  answered_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Null while it lasts.',
    example: '2026-01-02T03:05:20.000+00:00',
  })
  ended_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...HANGUP_CAUSES, null],
    nullable: true,
    description: 'Why the second leg ended.',
    example: 'normal_clearing',
  })
  hangup_cause: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The SIP response that refused it.', example: null })
  sip_code: number | null;
}
