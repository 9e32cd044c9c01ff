import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ReadinessService } from './readiness.service.js';

class HealthDto {
  @ApiProperty({ type: 'string', enum: ['ok', 'unavailable'], description: 'Health status.', example: 'ok' })
  status: 'ok' | 'unavailable';

  @ApiPropertyOptional({
    type: [String],
    description: 'Reasons why the process is not ready.',
    example: ['the database does not answer'],
  })
  reasons?: string[];
}

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('live')
  @ApiOperation({ operationId: 'live', summary: 'Check liveness' })
  @ApiResponse({ status: 200, type: HealthDto, description: 'The process is alive.' })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ operationId: 'ready', summary: 'Check readiness' })
  @ApiResponse({ status: 200, type: HealthDto, description: 'The process is ready for requests.' })
  @ApiResponse({ status: 503, type: HealthDto, description: 'The process is not ready; see `reasons`.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthDto> {
    const reasons = await this.readiness.reasons();
    if (reasons.length === 0) return { status: 'ok' };
    response.status(503);
    return { status: 'unavailable', reasons };
  }
}
