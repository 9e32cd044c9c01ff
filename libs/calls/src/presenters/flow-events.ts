import { type CallEventField, type CallEventType, ms, text } from './waiting-events.js';

const AT_MS = ms('Time of the event in milliseconds since the answer.', 8_120);

/** The events of flows and of handoffs between agents. */
export const flowEvents = (redacted: CallEventField) =>
  ({
    step_entered: {
      description: 'The conversation entered a step of the flow of its agent.',
      fields: {
        at_ms: AT_MS,
        step: text('Name of the step.', 'book'),
        from: { ...text('Name of the step before. Null: the flow has begun.', 'identify'), nullable: true },
        by: {
          ...text(
            'What led to the step: the start of the flow, an exit by expression or by the model, a limit, an action, or a handoff.',
            'if',
          ),
          values: ['start', 'if', 'when', 'limit', 'action', 'handoff'],
        },
        exit: { ...ms('Index of the exit in `exits` of the step before. Absent without an exit.', 0), optional: true },
      },
    },
    values_collected: {
      description: 'Values of the flow were collected. Deleted with the transcript.',
      fields: {
        at_ms: AT_MS,
        redacted,
        step: text('Name of the step that collects them.', 'identify'),
        turn: ms('Number of the turn of the user, from 1.', 2),
        values: { type: 'object', description: 'The values by name.', example: { name: 'Ada', reason: 'book' } },
      },
    },
    handed_over: {
      description: 'Another agent of the account goes on with the conversation. Deleted with the transcript.',
      fields: {
        at_ms: AT_MS,
        from_agent_id: ms('ID of the agent that spoke before.', 3),
        to_agent_id: ms('ID of the agent that goes on.', 7),
        to_agent_name: text('Its name.', 'Cancellations'),
        context: {
          ...text('What it knows of the conversation.', 'summary'),
          values: ['full', 'summary', 'none'],
        },
        reason: {
          ...text('Why, in the words of the model or of the flow.', 'The caller wants to cancel.'),
          nullable: true,
        },
        by: { ...text('A step of the flow, or a tool of the model.', 'flow'), values: ['flow', 'model'] },
      },
    },
  }) as const satisfies Record<string, CallEventType>;
