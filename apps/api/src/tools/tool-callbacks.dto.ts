import { REPORT_STATUSES, REPORT_TEXT_LENGTH, type ToolReport } from '@app/tools';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { AsSent, must } from '../http/validation/field-validators.js';

export class ToolReportDto implements ToolReport {
  @ApiProperty({
    type: 'string',
    enum: REPORT_STATUSES,
    description:
      '`progress`: a note for the agent; the result follows. `completed` and `failed`: the result, which is taken once.',
    example: 'completed',
  })
  @IsIn(REPORT_STATUSES, { message: must.beOneOf })
  status: ToolReport['status'];

  @ApiPropertyOptional({
    type: 'string',
    maxLength: REPORT_TEXT_LENGTH,
    nullable: true,
    description: 'Words for the agent: the progress, the result, or why the tool failed.',
    example: 'The table is booked for eight.',
  })
  @IsOptional()
  @IsString({ message: must.beText })
  @MaxLength(REPORT_TEXT_LENGTH, { message: must.beShort(REPORT_TEXT_LENGTH) })
  text?: string | null;

  @ApiPropertyOptional({
    nullable: true,
    description:
      'JSON for the agent in place of `text`, at most 64 KB in 64 levels. The JSON pointers of `assign` begin at it.',
    example: { id: 'b-4711' },
  })
  @AsSent()
  @IsOptional()
  result?: unknown;
}

class TakenReportDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'ID of the tool invocation.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
  })
  invocation_id: string;

  @ApiProperty({
    type: 'string',
    enum: ['conversation', 'record'],
    description: '`conversation`: the agent gets the report in the next pause. `record`: the call has ended.',
    example: 'conversation',
  })
  delivery: 'conversation' | 'record';
}

export class ReportTakenDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Report taken successfully.' })
  message: string;

  @ApiProperty({ type: TakenReportDto, description: 'What becomes of the report.' })
  data: TakenReportDto;
}
