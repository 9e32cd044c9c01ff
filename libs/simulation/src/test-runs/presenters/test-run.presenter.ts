import { isEnough } from '../../repeated-simulations.service.js';
import { isoTime, timeOrNull, usd } from '@app/common';
import type { ScenarioCounts } from '../scenario-runs.repository.js';
import type { TestConversationEntity, TestRunEntity, TestScheduleEntity } from '../test-run.entity.js';

/** A run in a list. */
export const runSummaryView = (run: TestRunEntity) => ({
  id: run.id,
  agent_id: run.agentId,
  agent_version: run.agentVersion,
  trigger: run.trigger,
  status: run.status,
  conversations: run.conversations,
  played: run.played,
  passed: run.passes,
  cost: usd(Number(run.costMicros)),
  problem: run.problem,
  created_at: isoTime(run.createdAt),
  started_at: timeOrNull(run.startedAt),
  ended_at: timeOrNull(run.endedAt),
});

export type TestRunSummaryView = ReturnType<typeof runSummaryView>;

/** A run with the results of its scenarios so far. */
export const runView = (run: TestRunEntity, counts: readonly ScenarioCounts[]) => ({
  ...runSummaryView(run),
  scenarios: run.plan.scenarios.map(({ name, channel, repeat, pass_rate: passRate }, index) => {
    const { played = 0, passes = 0, errors = 0 } = counts.find(({ scenario }) => scenario === index) ?? {};
    return {
      index,
      name,
      channel,
      repeat,
      pass_rate: passRate,
      played,
      passes,
      errors,
      // null: not all conversations have been played.
      passed: played < repeat ? null : isEnough(passes, repeat, passRate),
    };
  }),
});

export type TestRunView = ReturnType<typeof runView>;

export const conversationView = (
  { scenario, repetition, passed, report, createdAt }: TestConversationEntity,
  run: TestRunEntity,
) => ({
  scenario,
  scenario_name: run.plan.scenarios[scenario]?.name ?? '',
  repetition: repetition + 1,
  passed,
  steps: report.steps,
  checks: report.checks,
  rubric: report.rubric,
  transcript: report.transcript,
  tool_calls: report.toolCalls,
  usage: report.usage,
  cost: usd(report.costMicros),
  end: report.end && { ended_by: report.end.endedBy, cause: report.end.cause },
  error: report.error,
  conversation_ms: report.conversationMs,
  duration_ms: report.durationMs,
  created_at: isoTime(createdAt),
});

export type TestConversationView = ReturnType<typeof conversationView>;

export const scheduleView = (schedule: TestScheduleEntity) => ({
  agent_id: schedule.agentId,
  cron: schedule.cron,
  time_zone: schedule.timeZone,
  scenarios: schedule.scenarios,
  ...schedule.overrides,
  webhook_url: schedule.webhookUrl,
  notify: schedule.notify,
  next_at: isoTime(schedule.nextAt),
  last_run_id: schedule.lastRunId,
  updated_at: isoTime(schedule.updatedAt),
});

export type TestScheduleView = ReturnType<typeof scheduleView>;
