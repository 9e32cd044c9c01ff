import { type NumberClosed, type NumberHours, type NumberQueue, QUEUE_TIMEOUT_ACTIONS } from '@app/accounts';
import { WEEKDAYS } from '@app/common/time-windows';
import { ApiProperty } from '@nestjs/swagger';

class NumberWindowDto {
  @ApiProperty({
    type: [String],
    enum: WEEKDAYS,
    description: 'Weekdays on which the window begins.',
    example: ['monday', 'friday'],
  })
  days: NumberHours['windows'][number]['days'];

  @ApiProperty({ type: 'string', description: 'Local time of day.', example: '09:00' })
  from: string;

  @ApiProperty({
    type: 'string',
    description: 'Local time of day. A time that is not after `from` is on the next day.',
    example: '17:30',
  })
  to: string;
}

export class NumberHoursDto implements NumberHours {
  @ApiProperty({ type: 'string', description: 'IANA time zone of the windows.', example: 'Europe/Berlin' })
  time_zone: string;

  @ApiProperty({
    type: [NumberWindowDto],
    description: 'Times at which the agent answers. An empty list: at any time.',
  })
  windows: NumberWindowDto[];

  @ApiProperty({
    type: [String],
    description: 'Local dates on which no window begins.',
    example: ['2026-12-25'],
  })
  excluded_dates: string[];
}

export class NumberClosedDto implements NumberClosed {
  @ApiProperty({
    type: 'string',
    enum: ['say_and_hang_up', 'reject', 'agent'],
    description: 'What happens to calls outside the hours.',
    example: 'say_and_hang_up',
  })
  action: NumberClosed['action'];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Spoken message of `say_and_hang_up`.',
    example: 'We are closed. Please call again on Monday.',
  })
  message: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Language of the message.', example: 'en' })
  language: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'ID of the agent of the action `agent`. Null for other actions, and after the agent was deleted.',
    example: null,
  })
  agent_id: number | null;
}

class QueueAnnouncementDto {
  @ApiProperty({ type: 'boolean', description: 'Whether callers hear their place in the queue.', example: true })
  position: boolean;

  @ApiProperty({ type: 'integer', description: 'Seconds between two announcements.', example: 30 })
  every_seconds: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Spoken announcement with `{{position}}`. Null: a sentence in the language.',
    example: 'You are number {{position}} in line.',
  })
  message: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Language of announcements.', example: 'en' })
  language: string | null;
}

class QueueTimeoutDto {
  @ApiProperty({
    enum: QUEUE_TIMEOUT_ACTIONS,
    description: '`hang_up`: the call ends. `transfer`: the caller is connected to another number.',
    example: 'transfer',
  })
  action: (typeof QUEUE_TIMEOUT_ACTIONS)[number];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Number of the action `transfer`; null for other actions.',
    example: '+15550002222',
  })
  to_number: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Spoken before the call ends, for `transfer` when the number was not reached. Null: it ends at once.',
    example: 'All agents are busy. Please call again later.',
  })
  message: string | null;
}

export class NumberQueueDto implements NumberQueue {
  @ApiProperty({ type: 'boolean', description: 'Whether callers wait for a free place.', example: true })
  enabled: boolean;

  @ApiProperty({ type: 'integer', description: 'Waiting callers of the number at most.', example: 20 })
  max_waiting: number;

  @ApiProperty({ type: 'integer', description: 'Seconds after which a waiting call ends.', example: 300 })
  max_wait_seconds: number;

  @ApiProperty({ type: QueueAnnouncementDto, description: 'What waiting callers hear about their place.' })
  announce: QueueAnnouncementDto;

  @ApiProperty({ type: QueueTimeoutDto, description: 'What happens after the maximum wait.' })
  on_timeout: QueueTimeoutDto;

  @ApiProperty({ type: 'boolean', description: 'Whether waiting callers hear music.', example: true })
  music: boolean;
}
