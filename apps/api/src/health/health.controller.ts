import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { HealthDto } from './health.dto.js';
import { ReadinessService } from './readiness.service.js';

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('live')
  @ApiOperation({ operationId: 'live', summary: 'Is the process alive?' })
  @ApiResponse({ status: 200, type: HealthDto, description: 'It is.' })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ operationId: 'ready', summary: 'May requests be sent here?' })
  @ApiResponse({ status: 200, type: HealthDto, description: 'They may.' })
  @ApiResponse({ status: 503, type: HealthDto, description: 'Not now; `reasons` says why.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthDto> {
    const reasons = await this.readiness.reasons();
    if (reasons.length === 0) return { status: 'ok' };
    response.status(503);
    return { status: 'unavailable', reasons };
  }
}
