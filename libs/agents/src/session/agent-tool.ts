import type { Log } from '@app/common';
import {
  type AgentTool,
  assignmentsOf,
  behaviourOf,
  type InvocationContext,
  isFailure,
  type Phrases,
  resultForModel,
  runLimitMs,
  type ToolBehaviour,
  type ToolRun,
  type ToolRunnerService,
} from '@app/tools';
import { ToolAnswer, ToolFailed, invalidArguments, type ToolPhrases, type VoiceTool } from '@app/voice';

/** Time in addition to that of the actions: for database reads before, and for the record afterwards. */
const SLACK_MS = 5_000;

const NEVER = new AbortController().signal;

/** Receives the run of a tool call with the conversation's id of the call. */
export type OnToolRun = (toolCallId: string, run: ToolRun) => void;

interface AgentToolRuntime {
  runner: Pick<ToolRunnerService, 'run'>;
  log: Pick<Log, 'error'>;
}

/** A tool of an agent's account for one conversation; calling it runs its actions. */
export function agentTool(
  { runner, log }: AgentToolRuntime,
  tool: AgentTool,
  conversation: Omit<InvocationContext, 'toolCallId'>,
  onRun: OnToolRun,
): VoiceTool {
  const behaviour = behaviourOf(tool.behaviour);
  return {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    timeoutMs: runLimitMs(tool) + SLACK_MS,
    checksArguments: true,
    ...phrasesOf(behaviour),
    ...(behaviour.confirm && { confirm: true }),
    ...(behaviour.mode === 'background' && { isBackground: true }),
    settle: (answer) => settle(tool, conversation, answer),
    run: async (args, { toolCallId, confirmation, signal }) => {
      try {
        const context = { ...conversation, toolCallId, ...(confirmation && { confirmation }) };
        // The end of the call aborts no requests of a background tool: their result is part of the record.
        const ended = await runner.run(tool, args, context, behaviour.mode === 'background' ? NEVER : signal);
        onRun(toolCallId, ended);
        if (ended.problems) throw invalidArguments(ended.problems);
        const { ok, result, assigned, isPending } = ended;
        return new ToolAnswer(resultForModel(tool, ended), ok, assigned, result, isPending);
      } catch (err) {
        if (err instanceof ToolFailed) throw err;
        log.error({ err, call_id: conversation.call?.id, tool_id: tool.id }, 'a tool of an agent could not be run');
        throw err;
      }
    },
  };
}

/** An answer that a scenario gives, as if the actions had given it. */
function settle(tool: AgentTool, { variables }: Pick<InvocationContext, 'variables'>, answer: unknown): ToolAnswer {
  const ok = !isFailure(answer);
  const values = typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? answer : { answer };
  const assigned = ok ? assignmentsOf(tool, values as Record<string, unknown>) : undefined;
  if (assigned) variables?.assign(assigned);
  return new ToolAnswer(resultForModel(tool, { ok, result: answer, assigned }), ok, assigned, answer);
}

function phrasesOf({ say_before: before, say_while_waiting: waiting, say_on_failure: failure }: ToolBehaviour): {
  phrases?: ToolPhrases;
} {
  if (before === null && waiting === null && failure === null) return {};
  return {
    phrases: {
      ...(before !== null && { before: textsOf(before) }),
      ...(waiting && {
        whileWaiting: {
          afterMs: waiting.after_seconds * 1_000,
          everyMs: waiting.every_seconds * 1_000,
          texts: textsOf(waiting.text),
        },
      }),
      ...(failure !== null && { onFailure: textsOf(failure) }),
    },
  };
}

/** Empty text is silence. */
const textsOf = (phrases: Phrases): string[] => [phrases].flat().filter((text) => text !== '');

/** The fields of a run that events report besides the result: the invocation and the outcomes of its actions. */
export const toolRunData = ({ invocationId, ok, actions }: ToolRun) => ({
  ok,
  invocation_id: invocationId,
  actions: actions.map(({ latencyMs, ...action }) => ({ ...action, latency_ms: latencyMs })),
});
