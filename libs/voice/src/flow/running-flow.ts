import type { FlowSource } from './agent-flow.js';
import type { FlowSession } from './flow-session.js';

/** The flow of a session, with the code that runs it. */
export interface RunningFlow extends FlowSource {
  Session: typeof FlowSession;
}

/**
 * Loads what runs flows: expressions and schemas of values. Most agents have no flow, and the threads of their calls load none of it.
 */
export const loadFlowSession = async (): Promise<typeof FlowSession> => (await import('./flow-session.js')).FlowSession;
