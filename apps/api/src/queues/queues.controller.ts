import { QueueStatesService } from '@app/queue';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { QueueListDto, queueOf } from './queues.dto.js';

@ApiTags('Operations')
@Controller('api/v1/queues')
export class QueuesController {
  constructor(private readonly queues: QueueStatesService) {}

  @Get()
  @Scopes('account:write')
  @ApiOperation({
    operationId: 'listQueues',
    summary: 'List the job queues',
    description:
      'Returns the job queues of the whole installation. For operators: `*` does not include the scope `account:write`, because the queues show the load of all accounts.',
  })
  @ApiResponse({ status: 200, type: QueueListDto, description: 'The queues.' })
  @ApiErrors(503)
  async list(): Promise<QueueListDto> {
    return { data: (await this.queues.read()).map(queueOf) };
  }
}
