/** Bodies that work in the demo workspace, where agent, number and trunk are 1 and the trunk leads to the sandbox phone. */
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
  number: {
    summary: 'A phone number, over a trunk, with webhooks of its own',
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
