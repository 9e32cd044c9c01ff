import { Expose, Transform, Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Call } from './tutorial-entities.js';

export class NewCallDto {
  @IsString()
  to_number: string;

  @IsInt()
  agent_id: number;

  @IsInt()
  number_id: number;
}

export class PageDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  page = 1;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Max(100)
  per_page = 15;
}

type From = { obj: Call };

const Of = (value: (call: Call) => unknown) => Transform(({ obj }: From) => value(obj), { toClassOnly: true });
const Dollars = (value: (call: Call) => string | null) =>
  Of((call) => (value(call) === null ? null : Number(value(call)) / 1_000_000));

const seconds = (call: Call): number | null =>
  call.answeredAt && call.endedAt ? Math.round((call.endedAt.getTime() - call.answeredAt.getTime()) / 1_000) : null;

export class CreatedCallResource {
  @Expose()
  @Of((call) => call.id)
  call_id: string;

  @Expose()
  status: string;

  @Expose()
  @Of((call) => call.toNumber)
  to_number: string;

  @Expose()
  @Of((call) => call.fromNumber)
  from_number: string;

  @Expose()
  @Of((call) => call.agent.name)
  agent: string;
}

export class CallResource extends CreatedCallResource {
  @Expose()
  @Of(seconds)
  duration_seconds: number | null;

  @Expose()
  @Of((call) => Math.round(((seconds(call) ?? 0) / 60) * 100) / 100)
  duration_minutes: number | null;

  @Expose()
  @Dollars((call) => call.costMicros)
  cost: number | null;

  @Expose()
  @Dollars((call) => call.realtimeCostMicros)
  realtime_cost: number | null;

  @Expose()
  @Of((call) => call.startedAt)
  started_at: Date | null;

  @Expose()
  @Of((call) => call.answeredAt)
  answered_at: Date | null;

  @Expose()
  @Of((call) => call.endedAt)
  ended_at: Date | null;

  @Expose()
  @Of((call) => call.recordingKey)
  recording_url: string | null;

  @Expose()
  @Of((call) => call.hangupCause)
  hangup_cause: string | null;

  @Expose()
  direction: string;

  @Expose()
  @Of((call) => call.agent.id)
  agent_id: number;

  @Expose()
  @Of((call) => call.number.id)
  number_id: number;

  @Expose()
  @Of((call) => call.trunkId)
  trunk_id: number | null;

  @Expose()
  metadata: Record<string, unknown> | null;

  @Expose()
  @Of((call) => call.createdAt)
  created_at: Date;

  @Expose()
  @Of((call) => call.sipCode)
  sip_code: number | null;

  @Expose()
  @Of((call) => call.endedBy)
  ended_by: string | null;
}

class PageMeta {
  @Expose()
  current_page: number;

  @Expose()
  per_page: number;

  @Expose()
  total: number;

  @Expose()
  last_page: number;
}

export class CallPageResource {
  @Expose()
  @Type(() => CallResource)
  data: CallResource[];

  @Expose()
  @Type(() => PageMeta)
  meta: PageMeta;
}
