import { RUN_STATUSES } from '@app/simulation';
import { ApiProperty } from '@nestjs/swagger';
import { ScenarioRunDto } from '../test-runs/test-runs.dto.js';
import { EventDto } from './webhook-events.dto.js';

const ENDED = RUN_STATUSES.filter((status) => status !== 'queued' && status !== 'running');

/** Body of the webhook of a test run. */
export class TestRunEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['test-run'], description: 'Type of the webhook.', example: 'test-run' })
  type: 'test-run';

  @ApiProperty({ type: 'string', enum: ENDED, description: 'Status of the run.', example: 'failed' })
  event: string;

  @ApiProperty({ type: ScenarioRunDto, description: 'The test run.' })
  data: ScenarioRunDto;
}
