import { type QueueState } from '@app/queue';
import { ApiProperty } from '@nestjs/swagger';

/** A job queue of the installation. */
class QueueDto {
  @ApiProperty({ type: 'string', description: 'Name of the queue: the kind of work.', example: 'documents' })
  name: string;

  @ApiProperty({
    type: 'integer',
    description: 'Jobs that wait for a free place. At most two wait, however many rows are due.',
    example: 1,
  })
  waiting: number;

  @ApiProperty({ type: 'integer', description: 'Jobs that are being processed, in all processes.', example: 4 })
  active: number;

  @ApiProperty({
    type: 'integer',
    description: 'Jobs that failed in the last 24 hours. Their work is retried.',
    example: 0,
  })
  failed: number;

  @ApiProperty({
    type: 'number',
    description: 'How long the oldest waiting job has waited, in seconds; 0: none waits.',
    example: 0.4,
  })
  oldest_seconds: number;
}

export class QueueListDto {
  @ApiProperty({ type: [QueueDto], description: 'All queues.' })
  data: QueueDto[];
}

export const queueOf = ({ queue, waiting, active, failed, oldestSeconds }: QueueState): QueueDto => ({
  name: queue,
  waiting,
  active,
  failed,
  oldest_seconds: oldestSeconds,
});
