import { describeFailure, ToolAnswer, ToolFailed, TRANSFER_TOOL, type VoiceTool } from '@app/voice';
import type { MockedAnswer, Scenario } from '@app/agents/scenarios';
import { isPartOf } from './conversation-facts.js';

/** Error code of a call without an answer in the scenario. */
export const NOT_MOCKED = 'not_mocked';

/** The answers of tools, in the form of `mocks`. */
export type RecordedMocks = Record<string, Partial<Pick<MockedAnswer, 'arguments' | 'result' | 'error'>>[]>;

/** Waits in the time of the conversation; rejects when the signal aborts. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** A tool that gives the answers of the scenario: each fitting answer once, then the last one again. */
function mockedTool(tool: VoiceTool, answers: readonly MockedAnswer[], wait: Wait): VoiceTool {
  const given = new Set<MockedAnswer>();
  return {
    ...tool,
    run: async (args, { signal }) => {
      const fitting = answers.filter((one) => isPartOf(one.arguments ?? {}, args));
      const answer = fitting.find((one) => !given.has(one)) ?? fitting.at(-1);
      if (!answer) throw new ToolFailed(NOT_MOCKED, `${tool.name} has no mock for these arguments.`);
      given.add(answer);
      if (answer.after_ms !== undefined) await wait(answer.after_ms, signal);
      if (answer.error) throw new ToolFailed(answer.error.code, answer.error.message);
      return tool.settle ? tool.settle(answer.result) : answer.result;
    },
  };
}

/** A tool without a mock: every call fails. */
const unmockedTool = (tool: VoiceTool): VoiceTool => ({
  ...tool,
  run: () => Promise.reject(new ToolFailed(NOT_MOCKED, `${tool.name} has no mock.`)),
});

/** Runs the tool and records its answers. */
function recordedTool(tool: VoiceTool, recorded: RecordedMocks): VoiceTool {
  const note = (one: RecordedMocks[string][number]) => void (recorded[tool.name] ??= []).push(one);
  return {
    ...tool,
    run: async (args, context) => {
      try {
        const result = (await tool.run(args, context)) ?? null;
        // A scenario gives the whole answer, which the model may not get.
        note({ arguments: args, result: result instanceof ToolAnswer ? result.full : result });
        return result;
      } catch (error) {
        const { code, message } = describeFailure(error);
        note({ arguments: args, error: { code, message } });
        throw error;
      }
    },
  };
}

/** A transfer that never dials: it succeeds at once. */
export const simulatedTransfer: VoiceTool = {
  ...TRANSFER_TOOL,
  run: (_args, { control }) => {
    control.handOver();
    return Promise.resolve({ transferred: true });
  },
};

/**
 * The tools of a simulated conversation. `own`: the tools that an operator defined, whose actions leave the process. `really` wraps a
 * tool that runs like on a call.
 */
export function toolsOfScenario(
  { tools: mode, mocks }: Pick<Scenario, 'tools' | 'mocks'>,
  { own, others }: { own: readonly VoiceTool[]; others: readonly VoiceTool[] },
  { wait, really, recorded }: { wait: Wait; really: (tool: VoiceTool) => VoiceTool; recorded: RecordedMocks },
): VoiceTool[] {
  const play = (tool: VoiceTool, otherwise: (tool: VoiceTool) => VoiceTool): VoiceTool => {
    const answers = Object.hasOwn(mocks, tool.name) ? mocks[tool.name] : undefined;
    return answers ? mockedTool(tool, answers, wait) : otherwise(tool);
  };
  const unlessMocked: Record<typeof mode, (tool: VoiceTool) => VoiceTool> = {
    mock: unmockedTool,
    live: really,
    record: (tool) => recordedTool(really(tool), recorded),
  };
  return [...others.map((tool) => play(tool, really)), ...own.map((tool) => play(tool, unlessMocked[mode]))];
}
