import type { Log } from '@app/common';
import { RINGBACK_TASK, ringbackTask, type RunAudioTask, type TaskChannel, type TaskKinds } from '@app/telephony';
import {
  AgentSession,
  BUILTIN_TOOLS,
  LazyProvider,
  registerProvider,
  systemClock,
  ToolBox,
  type SessionEnd,
  type Speech,
  type ProviderSettings,
} from '@app/voice';
import { AGENT_TASK, type AgentInit, type FromAgent, type ToAgent } from './agent-messages.js';
import { ToolRpcClient } from './tool-rpc-client.js';

registerProvider('sandbox', async () => (await import('./sandbox.js')).sandboxProvider);

/** The dependencies that the agents of one thread share. */
interface AgentParts {
  speech: Speech;
  settings: ProviderSettings;
  log: Log;
}

/** The tasks that a thread with audio can run. */
export const agentTasks = (parts: AgentParts): TaskKinds => ({
  [AGENT_TASK]: agentTask(parts),
  [RINGBACK_TASK]: ringbackTask,
});

/** The voice agent as an audio task: its session, and so the provider's connection, is in the thread of the audio. */
const agentTask =
  (parts: AgentParts): RunAudioTask =>
  (media, init, channel) => {
    const post = (message: FromAgent): void => channel.post(message);
    const { providers, sandbox, settings, call, tools } = init as AgentInit;
    const { speech } = parts;
    const shared = { speech, clock: systemClock, settings: { ...parts.settings, sandbox } };
    const toolClient = new ToolRpcClient(tools, post);
    const [first, ...others] = providers;
    const session = new AgentSession({
      provider: new LazyProvider(first, shared),
      fallbacks: others.map((other) => new LazyProvider(other, shared)),
      settings,
      call,
      tools: new ToolBox([...BUILTIN_TOOLS, ...toolClient.tools]),
      speech,
      onEvent: (event) => post({ type: 'event', event }),
      log: parts.log.child({ call_id: call.callId }),
    });
    return whenAnswered(channel, toolClient, session, () => session.start(media));
  };

/** The agent is silent before the answer: the caller hears ringback, and nothing is billed. */
function whenAnswered(
  channel: TaskChannel,
  toolClient: ToolRpcClient,
  session: AgentSession,
  talk: () => Promise<SessionEnd>,
): Promise<SessionEnd | undefined> {
  return new Promise((resolve, reject) => {
    let talking = false;
    channel.onMessage((message) => {
      const command = message as ToAgent;
      if (command.type === 'answered') {
        talking = true;
        talk().then(resolve, reject);
      } else if (command.type === 'stop') {
        session.stop(command.reason);
        if (!talking) resolve(undefined);
      } else {
        toolClient.take(command);
      }
    });
  });
}
