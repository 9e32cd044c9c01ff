import { PickType } from '@nestjs/swagger';
import { ListCallsDto } from '../calls/list-calls.dto.js';

export class ListTrunksDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {}
