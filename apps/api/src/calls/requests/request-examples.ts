/** These bodies work in the demo workspace, whose trunk 1 leads to the sandbox phone. */
export const CREATE_CALLS_EXAMPLES = {
  one: {
    summary: 'One call to the sandbox phone',
    value: { to_number: 'sip:answer@127.0.0.1:5070', agent_id: 1, number_id: 1, trunk_id: 1 },
  },
  several: {
    summary: 'Two calls in one request',
    value: {
      to_number: ['sip:answer@127.0.0.1:5070', 'sip:busy@127.0.0.1:5070'],
      agent_id: 1,
      number_id: 1,
      trunk_id: 1,
      record: false,
      metadata: { campaign: 'spring' },
    },
  },
  later: {
    summary: 'A call on a working day, from December on',
    value: {
      to_number: 'sip:answer@127.0.0.1:5070',
      agent_id: 1,
      number_id: 1,
      trunk_id: 1,
      not_before: '2026-12-01T00:00:00+01:00',
      window: {
        windows: [{ days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], from: '09:00', to: '17:00' }],
        excluded_dates: ['2026-12-25'],
      },
      time_zone: 'Europe/Berlin',
    },
  },
  number: {
    summary: 'A phone number over a trunk, with webhook settings',
    value: {
      to_number: '+1 (555) 000-2222',
      agent_id: 1,
      number_id: 1,
      trunk_id: 1,
      call_status_webhook_url: 'https://example.com/hooks/call-status',
      post_call_webhook_url: 'https://example.com/hooks/post-call',
      post_call_webhook_headers: [{ key: 'X-Team', value: 'support' }],
    },
  },
};
