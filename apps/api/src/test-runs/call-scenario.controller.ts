import { CallScenariosService } from '@app/simulation';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ApiCallId, CallId } from '../http/validation/path-params.js';

class CallScenarioDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name of the agent of the call.',
    example: 'Receptionist',
  })
  agent: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Scenario, as `POST /agents/{agent_id}/simulations` takes it.',
    example: { name: 'call 019e4a52', steps: [{ says: 'Where is order 4711?', expects: [{ contains: '4711' }] }] },
  })
  scenario: object;
}

class FoundCallScenarioDto {
  @ApiProperty({ type: CallScenarioDto, description: 'The scenario.' })
  data: CallScenarioDto;
}

@ApiTags('Simulations')
@Controller('api/v1/calls/:callId/scenario')
export class CallScenarioController {
  constructor(private readonly scenarios: CallScenariosService) {}

  @Get()
  @Scopes('calls:read')
  @ApiCallId()
  @ApiOperation({
    operationId: 'getCallScenario',
    summary: 'Turn a call into a scenario',
    description:
      "Returns a scenario with the user's words and keys, mocks with the results of the tools, and loosened expectations: numbers, distinctive words, tool calls and the end. Redacted text stays redacted. At most 50 steps.",
  })
  @ApiResponse({ status: 200, type: FoundCallScenarioDto, description: 'The scenario.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @CallId() callId: string): Promise<FoundCallScenarioDto> {
    return { data: await this.scenarios.of({ accountId, callId }) };
  }
}
