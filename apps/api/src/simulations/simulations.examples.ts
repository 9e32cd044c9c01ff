/** Both work unchanged with the workspace of `npm start`. */
export const SCENARIO_EXAMPLES = {
  conversation: {
    summary: 'Greeting, a key, a question, silence, goodbye',
    value: {
      name: 'a short visit',
      steps: [
        { name: 'greeting', expects: 'How can I help you?' },
        { keys: '5', expects: { contains: 'key 5' }, absent: { calls: 'end_call' } },
        { says: 'Good morning.', expects: { any_of: ['Good morning', { matches: 'how (can|may) I help' }] } },
        { silence: 11, expects: 'still there', ends: false },
        { keys: '9', expects: 'Goodbye', calls: 'end_call', ends: 'hangup' },
      ],
    },
  },
  mocks: {
    summary: 'A tool that is answered by the scenario',
    value: {
      name: 'the search finds something',
      direction: 'outbound',
      metadata: { customer: 7 },
      mocks: {
        end_call: { arguments: {}, result: { ending: true } },
      },
      steps: [{ keys: '9', calls: { tool: 'end_call', ok: true }, ends: false }],
    },
  },
};
