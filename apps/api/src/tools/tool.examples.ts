const DATE = { type: 'string', format: 'date', description: 'The day, as 2026-05-24.' };

/** JSON bodies for Swagger; agent 1 is the one of the demo workspace. */
export const CREATE_TOOL_EXAMPLES = {
  two: {
    summary: 'Two requests: one whose answer the agent waits for, one that is queued',
    value: {
      name: 'book_table',
      description: 'Books a table. Use it when the caller has told a day and the number of guests.',
      parameters: {
        type: 'object',
        properties: {
          date: DATE,
          guests: { type: 'integer', minimum: 1, maximum: 12, description: 'How many come.' },
        },
        required: ['date', 'guests'],
      },
      webhook_actions: [
        {
          name: 'book',
          url: 'https://example.com/bookings/{{args.date}}',
          payload: { guests: '{{args.guests}}', note: 'By phone, {{call.to_number}}' },
          headers: { Authorization: 'Bearer 4f1c9a' },
          timeout_seconds: 20,
        },
        { name: 'tell_the_kitchen', url: 'https://example.com/hooks/kitchen', wait_response: false },
      ],
    },
  },
  query: {
    summary: 'A look-up by GET',
    value: {
      name: 'free_tables',
      description: 'Tells which tables are free on a day.',
      parameters: { type: 'object', properties: { date: DATE }, required: ['date'] },
      webhook_actions: [
        {
          name: 'look_up',
          url: 'https://example.com/tables',
          method: 'GET',
          query_params: { on: '{{args.date}}', lang: '{{metadata.language}}' },
        },
      ],
    },
  },
};

export const UPDATE_TOOL_EXAMPLES = {
  description: {
    summary: 'Another description; everything else stays as it is',
    value: { description: 'Books a table for up to twelve guests.' },
  },
  actions: {
    summary: 'All requests anew',
    value: { webhook_actions: [{ name: 'book', url: 'https://example.com/bookings/{{args.date}}' }] },
  },
};
