// Written by `npm run openapi` from openapi.json.
export interface paths {
    "/api/v1/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calls
         * @description The account's calls, newest first.
         */
        get: operations["listCalls"];
        put?: never;
        /**
         * Create calls
         * @description Places one call, or one per destination. The calls wait in line (`pending`) until the limits of the account and the trunk let them out.
         */
        post: operations["createCalls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{callId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one call */
        get: operations["getCall"];
        put?: never;
        post?: never;
        /**
         * Delete a call
         * @description Removes a call that has ended, with its recording, transcript and webhooks, also those still to be delivered.
         */
        delete: operations["deleteCall"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{callId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a call
         * @description A waiting call ends as `cancelled` at once; a ringing one is cancelled within half a second; an answered one is hung up and ends as `completed`.
         */
        post: operations["cancelCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{callId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a call
         * @description The events of a call, from its first status to its last: changes of the status, turns of the transcript, tools, keys, transfers, hold. By default as server-sent events: `id:` is the number of the event, `event:` its type, `data:` a `CallEvent`. An event is streamed within a second (the dialer writes a conversation's events every 0.4 s, and the API polls four times a second); the stream has a comment every 15 s, and closes after the last event of the call, which is a `status` with `hangup_cause`; a call that is over is replayed. After a disconnect continue with `Last-Event-ID`, or `after`: no event is lost or repeated. 204: the call is over and you have all events. At most 100 streams of an account are open at once; a client that does not read for 30 s is disconnected. With `Accept: application/json` the response is a page of the same events, for clients that poll.
         */
        get: operations["watchCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{callId}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the transcript of a call
         * @description Every turn of the call, in order, however many there are; the same JSON as behind `transcript_url` of a post-call webhook. While the call lasts, `complete` is false and the turns that have ended so far are there; before the call is answered, `turns` is empty. 404 when the transcript was deleted (`transcript_deleted_at`). The answer is written as it is read: an interrupted one ends without its last brackets.
         */
        get: operations["getCallTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{callId}/diagnostics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happened on the wire
         * @description The SIP messages of each leg in order, and the RTP statistics once the leg has ended; complete about a second after the end of the call. Digest proofs, SRTP keys, passwords and keyed digits are starred out. At most 200 messages and 256 KB of a call are kept, for 30 days; `DELETE /calls/{callId}` removes them at once. `format=text`, or `Accept: text/plain`, draws the ladder for people.
         */
        get: operations["getCallDiagnostics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{callId}/diagnostics/sip.pcap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the signalling as a PCAP
         * @description For Wireshark, sngrep and tcpdump. Each message is one UDP datagram, also those of TCP and TLS (their Via says so), with the true addresses, times and bytes but for the secrets. An empty capture when the call was not dialled.
         */
        get: operations["downloadCallSignalling"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordings/{callId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a recording
         * @description The target of `recording_url`; takes no token. A link that expired or was changed, and a call that was deleted, are all 404. Ranges are supported.
         */
        get: operations["downloadRecording"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transcripts/{callId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a whole transcript
         * @description The target of `transcript_url` in a post-call webhook that has not room for its transcript; takes no token. A link that expired or was changed, a call that was deleted, and a transcript that was (`transcript_deleted_at`), are all 404. The answer is written as it is read: an interrupted one ends without its last brackets.
         */
        get: operations["downloadTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/knowledge-bases/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search the knowledge bases of an agent
         * @description Finds the passages that the agent would be given, best first. Only what is active is searched.
         */
        post: operations["searchKnowledgeBases"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/knowledge-bases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List knowledge bases
         * @description The agent's knowledge bases, newest first.
         */
        get: operations["listKnowledgeBases"];
        put?: never;
        /**
         * Create a knowledge base
         * @description A text can be searched when this answers. An address (JSON) is fetched and a file (multipart form) is read in the background: read the knowledge base until its `status` is `completed` or `failed`.
         */
        post: operations["createKnowledgeBase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/knowledge-bases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one knowledge base */
        get: operations["getKnowledgeBase"];
        /**
         * Update a knowledge base
         * @description Changes what is given. A new text is found by searches when this answers, the old one until then.
         */
        put: operations["updateKnowledgeBase"];
        post?: never;
        /**
         * Delete a knowledge base
         * @description With its file and its passages, also while it is being processed.
         */
        delete: operations["deleteKnowledgeBase"];
        options?: never;
        head?: never;
        /**
         * Update a knowledge base
         * @description The same as PUT.
         */
        patch: operations["patchKnowledgeBase"];
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/knowledge-bases/{id}/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process a knowledge base again
         * @description Fetches the address again, reads the file again, or cuts the text into passages again. What searches find stays until the new passages are there. 409 while it is `processing`; one that is `pending` has its turn now.
         */
        post: operations["reprocessKnowledgeBase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tools
         * @description The agent's tools, newest first.
         */
        get: operations["listTools"];
        put?: never;
        /**
         * Create a tool
         * @description The agent has it in every conversation that begins from now on.
         */
        post: operations["createTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/tools/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one tool
         * @description With its webhook actions.
         */
        get: operations["getTool"];
        /**
         * Update a tool
         * @description Changes what is given; a list of `webhook_actions` takes the place of all that there were. Conversations that have begun keep the tool as it was.
         */
        put: operations["updateTool"];
        post?: never;
        /**
         * Delete a tool
         * @description With its webhook actions.
         */
        delete: operations["deleteTool"];
        options?: never;
        head?: never;
        /**
         * Update a tool
         * @description The same as PUT.
         */
        patch: operations["patchTool"];
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/tools/{id}/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a tool
         * @description Runs the actions of a tool for real, without a call: requests are sent, and what is not waited for is queued and delivered. A tool that is not active can be tried, too. Answers 200 whatever the endpoints do; the answer comes when the last action that is waited for has ended, after 120 s at the latest. Four at once per account.
         */
        post: operations["invokeTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{callId}/tool-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tool calls of a call
         * @description What the tools of the agent were invoked with and what came of it, oldest first, the first 200; while the call lasts, too. They are kept for 30 days; `DELETE /calls/{callId}` removes them at once. A tool that was deleted since leaves its history. Built-in tools are not among them.
         */
        get: operations["listToolCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tool-invocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tool invocations
         * @description When which tool was invoked by whom, newest first, for 30 days; in calls, simulations and by `POST …/tools/{id}/invoke`. Actions that nobody waits for are among the webhook deliveries, too, and are replayed there.
         */
        get: operations["listToolInvocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tool-invocations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one tool invocation
         * @description With its arguments, its result, and every request that was made for it.
         */
        get: operations["getToolInvocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}/simulations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Talk with an agent without a phone
         * @description Plays a scenario with the agent as it is now, in writing: the same instructions, tools, knowledge bases and provider as on a call. Answers when it is over, whether it passed or not. No phone rings, no call is written, a transfer never dials. What the provider costs counts towards the daily spend of the account; when that is used up, the answer is 422 on `scenario`. With `tools: mock` nothing leaves the service but what the provider is told; with `live` and `record` the actions of tools are really run. Silence takes no time. At most 50 steps and 120 s.
         */
        post: operations["simulateCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description The account's agents by name, for their ids. They are made with `bin/trunkline apply`.
         */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/numbers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List phone numbers
         * @description The account's phone numbers by name, for their ids. They are made with `bin/trunkline apply`.
         */
        get: operations["listNumbers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trunks
         * @description The account's trunks by name, with their health. They are made with `bin/trunkline apply`.
         */
        get: operations["listTrunks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trunks/{trunkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one trunk */
        get: operations["getTrunk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description Who did what to what the account has, newest first: tokens, secrets, limits, trunks, agents, tools, knowledge bases, cancelled and deleted calls. Kept for a year unless the operator says otherwise. Totals over 10,000 are a lower bound (`total_is_estimate`).
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens
         * @description The account's tokens, newest first, also those that ended.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description It may do no more than the token that asks for it, and ends with that one at the latest: a later `expires_at`, or none, becomes its end.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a token
         * @description A new token in the place of one, with the same name, scopes and lifetime, which ends with the token that asks at the latest. The old one works on for `overlap_minutes`. A token that may do more than the one that asks, that ended, or that was rotated already, is 404.
         */
        post: operations["rotateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description It ends at once (within 5 s). Revoking it again changes nothing.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive? */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** May requests be sent here? */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook deliveries
         * @description The account's webhooks and queued tool actions (without `wait_response`), newest first, with the state of each. Awaited actions are in `GET /tool-invocations`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay the webhooks of a period
         * @description Sends undelivered webhooks of a period again, for example after an outage of the receiver: each with its `webhook-id` and body, in the order of its call. At most 10,000 per request; `next_cursor` continues. Deliveries to a disabled endpoint are skipped.
         */
        post: operations["replayWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one webhook delivery
         * @description With its body and its attempts.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a webhook
         * @description Sends the delivery again with the same `webhook-id` and body, even after it was delivered. A delivery that waits for its next attempt is sent now; two replays at once send it once. When it fails again, its slow attempts start from the beginning. 409: its endpoint is disabled.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description URLs with a request in the last 30 days, and disabled ones.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a webhook endpoint
         * @description Webhooks are sent to the endpoint again. Deliveries that ended as `dead` meanwhile stay `dead` until they are replayed: `POST /webhook-deliveries/replay` with its `url` and `disabled_at` as `date_from`.
         */
        post: operations["enableWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook secrets
         * @description The secrets that sign webhooks, as hints.
         */
        get: operations["listWebhookSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-secrets/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the webhook secret
         * @description Creates a new secret, which is shown once. For `overlap_hours` webhooks carry two signatures, of the new and of the previous secret, so that receivers can be updated one by one; a secret older than both expires now.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-secrets/{id}/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expire a webhook secret
         * @description Expires the older of two secrets early, for example because it was leaked. The newest secret cannot be expired: rotate it first.
         */
        post: operations["expireWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test webhook
         * @description Sends a signed event of type `test` like any webhook, but only once: a failed test is not retried. `GET /webhook-deliveries/{id}` returns the result with the answer of the receiver.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "call-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A call changed its state
         * @description Sent to the call's `call_status_webhook_url` at every change, with the configured method and headers.
         */
        post: operations["onCallStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "post-call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A call has ended
         * @description Sent to the call's `post_call_webhook_url` once, after recording, transcript and costs exist. With the method GET there is no body: `id`, `type`, `call_id` and `status` are in the query.
         */
        post: operations["onPostCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test of a webhook
         * @description Sent once by `POST /api/v1/webhooks/test`, signed like all webhooks.
         */
        post: operations["onTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tool-action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent invoked a tool
         * @description Sent for each webhook action of the tool, with the action's method, URL, headers and query. This body is that of an action without a payload; GET and DELETE have none.
         */
        post: operations["onToolAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        TransferDto: {
            /**
             * @description The number that was called.
             * @example +15550002222
             */
            to_number: string;
            /**
             * @description The number that the other party saw; null for `refer`, where the remote party places the call.
             * @example +15550001111
             */
            from_number: string | null;
            /**
             * @description `bridge`: a second leg, joined with the first. `refer`: the remote party was asked to call (SIP REFER).
             * @example bridge
             * @enum {string}
             */
            method: "bridge" | "refer";
            /**
             * @description State of the transfer.
             * @example completed
             * @enum {string}
             */
            status: "dialing" | "ringing" | "in_progress" | "completed" | "busy" | "no_answer" | "failed" | "cancelled";
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-01-02T03:04:10.000+00:00
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When the other party answered; null if it did not.
             * @example 2026-01-02T03:04:14.000+00:00
             */
            answered_at: string | null;
            /**
             * Format: date-time
             * @description Null while it lasts.
             * @example 2026-01-02T03:05:20.000+00:00
             */
            ended_at: string | null;
            /**
             * @description Why the second leg ended.
             * @example normal_clearing
             * @enum {string|null}
             */
            hangup_cause: "normal_clearing" | "user_busy" | "no_answer" | "call_rejected" | "cancelled" | "unallocated_number" | "number_changed" | "invalid_number_format" | "auth_failed" | "rejected_by_carrier" | "redirected" | "request_refused" | "incompatible_media" | "incompatible_address" | "service_unavailable" | "network_error" | "blocked_destination" | "spend_limit" | "concurrency_limit" | "originator_cancel" | "media_unavailable" | "agent_hangup" | "answering_machine" | "message_left" | "max_duration" | "media_timeout" | "media_address_refused" | "session_expired" | "transferred" | "agent_provider_error" | "drained" | "worker_lost" | "deactivated" | "queue_expired" | null;
            /**
             * @description The SIP response that refused it.
             * @example null
             */
            sip_code: number | null;
        };
        CallDto: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string;
            /**
             * @description State of the call.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "ringing" | "in_progress" | "completed" | "failed" | "no_answer" | "busy" | "cancelled";
            /**
             * @description Destination: an E.164 number without punctuation, or a SIP URI. Of an inbound call, the number of yours that was called.
             * @example sip:answer@127.0.0.1:5070
             */
            to_number: string;
            /**
             * @description The account's phone number that calls. Of an inbound call, the caller: an E.164 number, the digits as the carrier gave them, a SIP URI, or `anonymous`.
             * @example +15550001111
             */
            from_number: string;
            /**
             * @description Name of the agent, as it was when the call was created.
             * @example Receptionist
             */
            agent: string;
            /**
             * @description Seconds from the answer to the end, or so far. Null if the call was not answered.
             * @example 12
             */
            duration_seconds: number | null;
            /**
             * @description The same in minutes, with two decimals.
             * @example 0.2
             */
            duration_minutes: number | null;
            /**
             * @description Total cost in USD. Null if not completed.
             * @example 0.0042
             */
            cost: number | null;
            /**
             * @description The part of `cost` that real-time AI processing took, in USD. Null if not completed.
             * @example 0.0012
             */
            realtime_cost: number | null;
            /**
             * Format: date-time
             * @description When the first INVITE left. Null while the call waits in line.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description Null if the call was not answered.
             * @example 2026-01-02T03:04:08.012+00:00
             */
            answered_at: string | null;
            /**
             * @description The answering party: `human`, `machine`, or `unknown` when it could not be detected. Null before the detection, if the call was not answered, and when the agent does not detect answering machines.
             * @example human
             * @enum {string|null}
             */
            answered_by: "human" | "machine" | "unknown" | null;
            /**
             * Format: date-time
             * @description Null while the call is still in progress.
             * @example 2026-01-02T03:04:20.345+00:00
             */
            ended_at: string | null;
            /**
             * Format: uri
             * @description Download link of the recording (stereo WAV: left the callee, right the agent), without a token; it lives one hour. Null if recording is disabled or unavailable, or `recording_deleted_at` says so.
             * @example http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767326645&signature=Zm9vYmFy
             */
            recording_url: string | null;
            /**
             * Format: date-time
             * @description When the recording was deleted because the account keeps recordings for so many days only. Null: it was not.
             * @example null
             */
            recording_deleted_at: string | null;
            /**
             * Format: date-time
             * @description When the transcript was deleted (with summary, tool calls and keys pressed) because the account keeps it for so many days only. Null: it was not.
             * @example null
             */
            transcript_deleted_at: string | null;
            /**
             * @description Why the call ended. Null while it is in progress.
             * @example normal_clearing
             * @enum {string|null}
             */
            hangup_cause: "normal_clearing" | "user_busy" | "no_answer" | "call_rejected" | "cancelled" | "unallocated_number" | "number_changed" | "invalid_number_format" | "auth_failed" | "rejected_by_carrier" | "redirected" | "request_refused" | "incompatible_media" | "incompatible_address" | "service_unavailable" | "network_error" | "blocked_destination" | "spend_limit" | "concurrency_limit" | "originator_cancel" | "media_unavailable" | "agent_hangup" | "answering_machine" | "message_left" | "max_duration" | "media_timeout" | "media_address_refused" | "session_expired" | "transferred" | "agent_provider_error" | "drained" | "worker_lost" | "deactivated" | "queue_expired" | null;
            /**
             * @description `outbound`: placed by the agent; `inbound`: received on one of your numbers.
             * @example outbound
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * @description The agent.
             * @example 1
             */
            agent_id: number;
            /**
             * @description The phone number.
             * @example 1
             */
            number_id: number;
            /**
             * @description The SIP trunk; null: dialled directly.
             * @example null
             */
            trunk_id: number | null;
            /**
             * @description The `metadata` of the creation.
             * @example {
             *       "customer": "c-4711"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When the call was created.
             * @example 2026-01-02T03:04:05.432+00:00
             */
            created_at: string;
            /**
             * @description The SIP response that refused the call; null when it was answered, or when there was none.
             * @example null
             */
            sip_code: number | null;
            /**
             * @description The party that ended the call; `api`: it was cancelled. Null while it is in progress.
             * @example callee
             * @enum {string|null}
             */
            ended_by: "caller" | "callee" | "agent" | "carrier" | "system" | "api" | null;
            /** @description The transfers of the call, oldest first. */
            transfers: components["schemas"]["TransferDto"][];
        };
        ListLinksDto: {
            /**
             * Format: uri
             * @description The first page; null in a list by cursor.
             * @example null
             */
            first: string | null;
            /**
             * Format: uri
             * @description The last page; null in a list by cursor.
             * @example null
             */
            last: string | null;
            /**
             * Format: uri
             * @description The page before, or null.
             * @example null
             */
            prev: string | null;
            /**
             * Format: uri
             * @description The page after, or null.
             * @example null
             */
            next: string | null;
        };
        ListMetaDto: {
            /**
             * @description Number of this page.
             * @example 1
             */
            current_page?: number;
            /**
             * @description Number of its first record.
             * @example 1
             */
            from?: number | null;
            /**
             * @description Number of the last page.
             * @example 1
             */
            last_page?: number;
            /**
             * @description URL of the list.
             * @example http://localhost:3000/api/v1/calls
             */
            path: string;
            /**
             * @description Records per page.
             * @example 15
             */
            per_page: number;
            /**
             * @description Number of its last record.
             * @example 1
             */
            to?: number | null;
            /**
             * @description Records in the whole list: exact up to 10,000.
             * @example 1
             */
            total?: number;
            /**
             * @description Present and true when `total` and `last_page` are estimates.
             * @example true
             */
            total_is_estimate?: boolean;
            /** @description `cursor` of the records after these. */
            next_cursor?: string | null;
            /** @description `cursor` of the records before these. */
            prev_cursor?: string | null;
        };
        CallListDto: {
            /** @description The calls of this page, newest first. */
            data: components["schemas"]["CallDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["ListMetaDto"];
        };
        ErrorDto: {
            /**
             * @description What went wrong, for people.
             * @example Call not found.
             */
            message: string;
        };
        ValidationErrorDto: {
            /**
             * @description The first error, and how many more there are.
             * @example The agent id field is required. (and 1 more error)
             */
            message: string;
            /**
             * @description Sentences by field; elements of lists carry their index, as in `to_number.0`.
             * @example {
             *       "agent_id": [
             *         "The agent id field is required."
             *       ],
             *       "to_number.0": [
             *         "Each phone number must be in E.164 or SIP URI format, such as +15551234567 or sip:user@sip.example.com."
             *       ]
             *     }
             */
            errors: {
                [key: string]: string[];
            };
        };
        WebhookHeaderDto: {
            /**
             * @description Name of the header, at most 128 characters.
             * @example X-Team
             */
            key: string;
            /**
             * @description Its value, at most 2,048 bytes.
             * @example support
             */
            value: string;
        };
        CreateCallsDto: {
            /**
             * @description Whom to call: an E.164 number (spaces, hyphens and parentheses are removed) or a SIP URI `sip:user@host[:port][;transport=udp|tcp|tls][;user=phone]`. A string creates one call, an array one call per element (100 at most unless configured otherwise), all or none.
             * @example sip:answer@127.0.0.1:5070
             */
            to_number: string | string[];
            /**
             * @description The agent that handles the calls; must be active.
             * @example 1
             */
            agent_id: number;
            /**
             * @description The phone number to call from; must be active.
             * @example 1
             */
            number_id: number;
            /**
             * @description The SIP trunk to call over; must be active. Required when any destination is an E.164 number.
             * @example 1
             */
            trunk_id?: number | null;
            /**
             * @description Refuse destinations that `to_number` names twice, by their index, instead of calling each of them twice. Numbers are compared without punctuation, the hosts of SIP URIs in either case.
             * @default false
             * @example true
             */
            reject_duplicates?: boolean | null;
            /**
             * @description Record the calls.
             * @default true
             * @example true
             */
            record?: boolean | null;
            /**
             * @description Hides the number from the called party (CLIR, RFC 3323 and RFC 3325): From is `anonymous@anonymous.invalid` with `Privacy: id`. A trunk with `assert_identity` still receives the number in P-Asserted-Identity, which most carriers require.
             * @default false
             */
            anonymous?: boolean | null;
            /**
             * @description Anything of yours, kept with the calls and sent in their webhooks; at most 16384 bytes of JSON.
             * @example {
             *       "customer": "c-4711"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Where the post-call webhook goes; overrides the agent's for these calls.
             * @example https://example.com/hooks/post-call
             */
            post_call_webhook_url?: string | null;
            /**
             * @description Its HTTP method; POST when neither the request nor the agent has one.
             * @example POST
             * @enum {string|null}
             */
            post_call_webhook_method?: "POST" | "GET" | "PUT" | "PATCH" | null;
            /** @description Headers it is sent with, instead of the agent's. The agent's are sent only to the scheme, host and port of the agent's URL. */
            post_call_webhook_headers?: components["schemas"]["WebhookHeaderDto"][] | null;
            /**
             * @description Where the call-status webhooks go; overrides the agent's for these calls.
             * @example https://example.com/hooks/call-status
             */
            call_status_webhook_url?: string | null;
            /**
             * @description Their HTTP method; POST when neither the request nor the agent has one.
             * @example POST
             * @enum {string|null}
             */
            call_status_webhook_method?: "POST" | "PUT" | "PATCH" | null;
            /** @description Headers they are sent with, instead of the agent's. The agent's are sent only to the scheme, host and port of the agent's URL. */
            call_status_webhook_headers?: components["schemas"]["WebhookHeaderDto"][] | null;
            /**
             * @description Whether the agent may transfer the calls; needs a transfer number here or on the agent.
             * @example false
             */
            enable_call_transfer?: boolean | null;
            /**
             * @description E.164 number that calls are transferred to, instead of the agent's.
             * @example +15550002222
             */
            transfer_phone_number?: string | null;
            /**
             * @description The account's phone number that the recipient of a transfer sees, instead of the agent's.
             * @example 1
             */
            transfer_caller_id_number_id?: number | null;
        };
        ReducedCallDto: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string;
            /**
             * @description State of the call.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "ringing" | "in_progress" | "completed" | "failed" | "no_answer" | "busy" | "cancelled";
            /**
             * @description Destination: an E.164 number without punctuation, or a SIP URI. Of an inbound call, the number of yours that was called.
             * @example sip:answer@127.0.0.1:5070
             */
            to_number: string;
            /**
             * @description The account's phone number that calls. Of an inbound call, the caller: an E.164 number, the digits as the carrier gave them, a SIP URI, or `anonymous`.
             * @example +15550001111
             */
            from_number: string;
            /**
             * @description Name of the agent, as it was when the call was created.
             * @example Receptionist
             */
            agent: string;
        };
        CallCreatedDto: {
            /**
             * @description The result; with an array, the number of calls.
             * @example Call initiated successfully.
             */
            message: string;
            /** @description The call; an array of calls, in the order of `to_number`, when that was an array. */
            data: components["schemas"]["ReducedCallDto"] | components["schemas"]["ReducedCallDto"][];
        };
        CostLineDto: {
            /**
             * @description What was used.
             * @example carrier_seconds
             */
            kind: string;
            /**
             * @description The same for people.
             * @example Carrier, seconds from the answer
             */
            description: string;
            /**
             * @description How much of it.
             * @example 12
             */
            quantity: number;
            /**
             * @description Unit of `quantity`.
             * @example second
             */
            unit: string;
            /**
             * @description USD per unit.
             * @example 0.0002
             */
            unit_price: number;
            /**
             * @description USD of this line; the lines add up to `cost` exactly.
             * @example 0.0024
             */
            amount: number;
        };
        CallWithResultsDto: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string;
            /**
             * @description State of the call.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "ringing" | "in_progress" | "completed" | "failed" | "no_answer" | "busy" | "cancelled";
            /**
             * @description Destination: an E.164 number without punctuation, or a SIP URI. Of an inbound call, the number of yours that was called.
             * @example sip:answer@127.0.0.1:5070
             */
            to_number: string;
            /**
             * @description The account's phone number that calls. Of an inbound call, the caller: an E.164 number, the digits as the carrier gave them, a SIP URI, or `anonymous`.
             * @example +15550001111
             */
            from_number: string;
            /**
             * @description Name of the agent, as it was when the call was created.
             * @example Receptionist
             */
            agent: string;
            /**
             * @description Seconds from the answer to the end, or so far. Null if the call was not answered.
             * @example 12
             */
            duration_seconds: number | null;
            /**
             * @description The same in minutes, with two decimals.
             * @example 0.2
             */
            duration_minutes: number | null;
            /**
             * @description Total cost in USD. Null if not completed.
             * @example 0.0042
             */
            cost: number | null;
            /**
             * @description The part of `cost` that real-time AI processing took, in USD. Null if not completed.
             * @example 0.0012
             */
            realtime_cost: number | null;
            /**
             * Format: date-time
             * @description When the first INVITE left. Null while the call waits in line.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description Null if the call was not answered.
             * @example 2026-01-02T03:04:08.012+00:00
             */
            answered_at: string | null;
            /**
             * @description The answering party: `human`, `machine`, or `unknown` when it could not be detected. Null before the detection, if the call was not answered, and when the agent does not detect answering machines.
             * @example human
             * @enum {string|null}
             */
            answered_by: "human" | "machine" | "unknown" | null;
            /**
             * Format: date-time
             * @description Null while the call is still in progress.
             * @example 2026-01-02T03:04:20.345+00:00
             */
            ended_at: string | null;
            /**
             * Format: uri
             * @description Download link of the recording (stereo WAV: left the callee, right the agent), without a token; it lives one hour. Null if recording is disabled or unavailable, or `recording_deleted_at` says so.
             * @example http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767326645&signature=Zm9vYmFy
             */
            recording_url: string | null;
            /**
             * Format: date-time
             * @description When the recording was deleted because the account keeps recordings for so many days only. Null: it was not.
             * @example null
             */
            recording_deleted_at: string | null;
            /**
             * Format: date-time
             * @description When the transcript was deleted (with summary, tool calls and keys pressed) because the account keeps it for so many days only. Null: it was not.
             * @example null
             */
            transcript_deleted_at: string | null;
            /**
             * @description Why the call ended. Null while it is in progress.
             * @example normal_clearing
             * @enum {string|null}
             */
            hangup_cause: "normal_clearing" | "user_busy" | "no_answer" | "call_rejected" | "cancelled" | "unallocated_number" | "number_changed" | "invalid_number_format" | "auth_failed" | "rejected_by_carrier" | "redirected" | "request_refused" | "incompatible_media" | "incompatible_address" | "service_unavailable" | "network_error" | "blocked_destination" | "spend_limit" | "concurrency_limit" | "originator_cancel" | "media_unavailable" | "agent_hangup" | "answering_machine" | "message_left" | "max_duration" | "media_timeout" | "media_address_refused" | "session_expired" | "transferred" | "agent_provider_error" | "drained" | "worker_lost" | "deactivated" | "queue_expired" | null;
            /**
             * @description `outbound`: placed by the agent; `inbound`: received on one of your numbers.
             * @example outbound
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * @description The agent.
             * @example 1
             */
            agent_id: number;
            /**
             * @description The phone number.
             * @example 1
             */
            number_id: number;
            /**
             * @description The SIP trunk; null: dialled directly.
             * @example null
             */
            trunk_id: number | null;
            /**
             * @description The `metadata` of the creation.
             * @example {
             *       "customer": "c-4711"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When the call was created.
             * @example 2026-01-02T03:04:05.432+00:00
             */
            created_at: string;
            /**
             * @description The SIP response that refused the call; null when it was answered, or when there was none.
             * @example null
             */
            sip_code: number | null;
            /**
             * @description The party that ended the call; `api`: it was cancelled. Null while it is in progress.
             * @example callee
             * @enum {string|null}
             */
            ended_by: "caller" | "callee" | "agent" | "carrier" | "system" | "api" | null;
            /** @description The transfers of the call, oldest first. */
            transfers: components["schemas"]["TransferDto"][];
            /**
             * @description The conversation in a few sentences. Null until the call has ended, if it was not answered, and when the transcript was deleted.
             * @example The agent spoke 8.2 s in 3 turns, the callee 4.1 s in 2 turns. Tools used: find_order. The agent ended the call.
             */
            summary: string | null;
            /** @description The lines of `cost`; empty if the call is not completed. The same as in the post-call webhook. */
            costs: components["schemas"]["CostLineDto"][];
        };
        FoundCallDto: {
            /** @description The call. */
            data: components["schemas"]["CallWithResultsDto"];
        };
        CallWithMessageDto: {
            /** @description The call. */
            data: components["schemas"]["CallDto"];
            /**
             * @description The result.
             * @example Call cancellation requested.
             */
            message: string;
        };
        CallDeletedDto: {
            /**
             * @description The result.
             * @example Call deleted successfully.
             */
            message: string;
        };
        CallEventsMetaDto: {
            /**
             * @description Events that were looked at, at most.
             * @example 100
             */
            per_page: number;
            /**
             * @description Give it as `after` to read on.
             * @example 7
             */
            next_after: number;
            /**
             * @description The call is over and nothing comes any more. Until then ask again, after a second or so.
             * @example false
             */
            complete: boolean;
        };
        CallEventPageDto: {
            /** @description Events in their order. */
            data: components["schemas"]["CallEvent"][];
            /** @description Where to read on. */
            meta: components["schemas"]["CallEventsMetaDto"];
        };
        TranscriptTurnDto: {
            /**
             * @description Who spoke: `agent` or `callee`, the other side of either direction.
             * @example agent
             */
            role: string;
            /**
             * @description What was said.
             * @example Hello, how can I help you?
             */
            text: string;
            /**
             * @description Beginning, in milliseconds since the answer.
             * @example 120
             */
            started_ms: number;
            /**
             * @description End, in milliseconds since the answer.
             * @example 2340
             */
            ended_ms: number;
            /**
             * @description The agent was interrupted.
             * @example false
             */
            truncated: boolean;
        };
        TranscriptDto: {
            /**
             * Format: uuid
             * @description The call.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string;
            /**
             * @description The call is over. Before, `turns` has those that have ended so far.
             * @example true
             */
            complete: boolean;
            /** @description Everything that was said, in order, as in `transcript` of the post-call webhook. */
            turns: components["schemas"]["TranscriptTurnDto"][];
        };
        FoundTranscriptDto: {
            /** @description The transcript. */
            data: components["schemas"]["TranscriptDto"];
        };
        LadderStepDto: {
            /**
             * Format: date-time
             * @description When it was sent or received for the first time.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            at: string;
            /**
             * @description The same in milliseconds since the first message of the call.
             * @example 0
             */
            offset_ms: number;
            /**
             * @description `out`: sent by Trunkline.
             * @example out
             * @enum {string}
             */
            direction: "in" | "out";
            /**
             * @description Transport: `udp`, `tcp` or `tls`.
             * @example udp
             */
            transport: string;
            /**
             * @description Address and port of the sender; for our side the advertised ones.
             * @example 192.0.2.1:5060
             */
            from: string;
            /**
             * @description Address and port of the receiver.
             * @example 198.51.100.7:5060
             */
            to: string;
            /**
             * @description Method and Request-URI of a request, status and reason of a response.
             * @example INVITE sip:+15550002222@198.51.100.7
             */
            summary: string;
            /**
             * @description The CSeq: responses carry that of their request.
             * @example 1 INVITE
             */
            cseq: string | null;
            /**
             * @description Retransmissions of the same bytes in the same direction.
             * @example 0
             */
            retransmissions: number;
            /**
             * @description When; the first 16 times.
             * @example []
             */
            repeated_at: string[];
            /**
             * @description The whole message as it was on the wire. Digest proofs, passwords and keyed digits are replaced by as many stars, SRTP keys by as many letters.
             * @example INVITE sip:+15550002222@198.51.100.7 SIP/2.0
             *     Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK7d1…
             *     …
             */
            message: string;
        };
        RtpStatisticsDto: {
            /**
             * @description On the wire at the end: `PCMU`, `PCMA` or `G722`.
             * @example PCMU
             */
            codec: string | null;
            /**
             * @description Whether the audio was encrypted (SRTP).
             * @example false
             */
            srtp: boolean;
            /**
             * @description Packets sent.
             * @example 1612
             */
            sent: number;
            /**
             * @description Packets received, without duplicates.
             * @example 1609
             */
            received: number;
            /**
             * @description Packets of the remote party that did not arrive, by sequence numbers (RFC 3550 A.3).
             * @example 3
             */
            lost: number;
            /**
             * @description Their share, 0 to 1.
             * @example 0.0019
             */
            loss_rate: number | null;
            /**
             * @description Packets that arrived after a later one.
             * @example 0
             */
            reordered: number;
            /**
             * @description Packets that arrived more than once.
             * @example 0
             */
            duplicates: number;
            /**
             * @description Interarrival jitter in milliseconds (RFC 3550 6.4.1).
             * @example 0.8
             */
            jitter_ms: number | null;
            /**
             * @description Mean opinion score 1 to 4.5, estimated from loss, jitter, delay and codec; null without audio.
             * @example 4.3
             */
            mos: number | null;
            /**
             * @description Frames of 20 ms that were not sent, because the process was blocked.
             * @example 0
             */
            late_frames: number;
            /**
             * @description Round trip in milliseconds by RTCP; null when the remote party sends no RTCP.
             * @example 24.5
             */
            rtt_ms: number | null;
            /**
             * @description Our packets that the remote party reports as lost (RTCP).
             * @example 0
             */
            remote_lost: number | null;
            /**
             * @description The jitter that the remote party reports, in milliseconds (RTCP).
             * @example 1.1
             */
            remote_jitter_ms: number | null;
            /**
             * @description Figures that the remote party reported (RTCP) and that cannot be true, such as more packets lost than sent. They are left out of these figures, the MOS and the metrics.
             * @example []
             */
            implausible: ("remote_lost" | "remote_jitter_ms" | "rtt_ms")[];
            /**
             * @description The address that the remote party described for its audio when nothing may be sent there; audio goes to where theirs comes from.
             * @example null
             */
            refused_address: string | null;
        };
        LegDiagnosticsDto: {
            /**
             * @description 1 is the first leg; a transfer adds one.
             * @example 1
             */
            leg: number;
            /**
             * @description Direction of the leg.
             * @example outbound
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /** @description Its SIP messages in order. */
            ladder: components["schemas"]["LadderStepDto"][];
            /** @description Its audio; null while it lasts, and when there was none. */
            rtp: components["schemas"]["RtpStatisticsDto"] | null;
        };
        DiagnosticsDto: {
            /**
             * Format: uuid
             * @description The call.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string;
            /** @description Empty when the call was not dialled. */
            legs: components["schemas"]["LegDiagnosticsDto"][];
            /**
             * @description Messages that were not kept, because the call had more than 200 of them or 256 KB.
             * @example 0
             */
            left_out: number;
            /**
             * Format: uri
             * @description The signalling as a capture file; takes the same token.
             * @example http://localhost:3000/api/v1/calls/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11/diagnostics/sip.pcap
             */
            pcap_url: string;
        };
        FoundDiagnosticsDto: {
            /** @description The diagnostics. */
            data: components["schemas"]["DiagnosticsDto"];
        };
        SearchDto: {
            /**
             * @description A question or some words, in any language.
             * @example How long do I have to return something?
             */
            query: string;
            /**
             * @description Passages at most.
             * @default 5
             * @example 5
             */
            limit?: number | null;
        };
        RowRangeDto: {
            /**
             * @description From 1, the row after the header.
             * @example 12
             */
            first: number;
            /**
             * @description Included.
             * @example 20
             */
            last: number;
        };
        PassageDto: {
            /**
             * @description The knowledge base it is from.
             * @example 1
             */
            knowledge_base_id: number;
            /**
             * @description Title of the knowledge base.
             * @example Returns
             */
            title: string;
            /**
             * @description `text`, `file` or `url`.
             * @example text
             */
            source_type: string;
            /**
             * @description File name or address; null for text.
             * @example null
             */
            source: string | null;
            /**
             * @description The passage.
             * @example Goods can be returned within 30 days.
             */
            text: string;
            /**
             * @description How well it fits; comparable within one answer.
             * @example 0.92
             */
            score: number;
            /**
             * @description Of a document with pages, from 1.
             * @example null
             */
            page: number | null;
            /**
             * @description The headings above it, highest first.
             * @example [
             *       "Terms",
             *       "Returns"
             *     ]
             */
            heading_path: string[];
            /** @description Rows of a table, or null. */
            rows: components["schemas"]["RowRangeDto"] | null;
            /**
             * @description Where it begins in the extracted text, in UTF-16 units (in the source of plain text and Markdown).
             * @example 0
             */
            start: number;
            /**
             * @description After its last character.
             * @example 37
             */
            end: number;
            /**
             * @description Of this passage, until its knowledge base changes.
             * @example 4711
             */
            chunk_id: string;
        };
        FoundPassagesDto: {
            /** @description Best first. */
            data: components["schemas"]["PassageDto"][];
        };
        UploadKnowledgeBaseDto: {
            /**
             * @description What people call it.
             * @example Price list
             */
            title: string;
            /**
             * @description `file`.
             * @example file
             * @enum {string}
             */
            source_type: "file";
            /**
             * Format: binary
             * @description PDF, TXT, DOC, DOCX, MD or CSV, told by the extension of its name; at most 10 MB (10,485,760 bytes).
             */
            file: Blob;
        };
        KnowledgeBaseDto: {
            /**
             * @description Identifier, unique within the service.
             * @example 1
             */
            id: number;
            /**
             * @description The agent that uses it.
             * @example 1
             */
            agent_id: number;
            /**
             * @description What people call it.
             * @example Returns
             */
            title: string;
            /**
             * @description Where its content comes from.
             * @example text
             * @enum {string}
             */
            source_type: "text" | "file" | "url";
            /**
             * @description A text is `completed` at once. Files and addresses are `pending`, then `processing`, then `completed` or `failed`. When one is processed again, its old passages are found until the new ones are there.
             * @example completed
             * @enum {string}
             */
            status: "pending" | "processing" | "completed" | "failed";
            /**
             * @description Whether agents may use it.
             * @example true
             */
            is_active: boolean;
            /**
             * @description The text of a `text`. In lists null when it has more than 10,000 characters: read the one.
             * @example Goods can be returned within 30 days.
             */
            content: string | null;
            /**
             * @description The address of a `url`.
             * @example null
             */
            source_reference: string | null;
            /**
             * @description The name of the file; null for other sources.
             * @example null
             */
            file_name: string | null;
            /**
             * @description Its bytes.
             * @example null
             */
            file_size: number | null;
            /**
             * @description Its extension, in lower case.
             * @example null
             */
            file_type: string | null;
            /**
             * @description Words of the content; 0 until it has been read.
             * @example 7
             */
            word_count: number;
            /**
             * @description Characters of the content; 0 until it has been read.
             * @example 37
             */
            character_count: number;
            /**
             * @description Passages that searches can find.
             * @example 1
             */
            chunk_count: number;
            /**
             * @description Why it failed and what to do, as `CODE: sentence and remedy`; null when there is no error.
             * @example null
             */
            processing_error: string | null;
            /**
             * @description The code alone, such as `FILE_ENCRYPTED` or `HTTP_404`.
             * @example null
             */
            error_code: string | null;
            /**
             * @description What is being done with it while it is `processing`; `reindex` while it is `completed`: its vectors are made anew.
             * @example null
             * @enum {string|null}
             */
            stage: "fetch" | "sniff" | "parse" | "chunk" | "embed" | "index" | "reindex" | null;
            /**
             * @description How far that is.
             * @example 100
             */
            progress: number;
            /**
             * @description Tries so far; what may get better is tried again.
             * @example 0
             */
            attempt: number;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            updated_at: string;
        };
        PageMetaDto: {
            /**
             * @description Number of this page.
             * @example 1
             */
            current_page: number;
            /**
             * @description Number of its first record.
             * @example 1
             */
            from: number | null;
            /**
             * @description Number of the last page.
             * @example 1
             */
            last_page: number;
            /**
             * @description URL of the list.
             * @example http://localhost:3000/api/v1/agents
             */
            path: string;
            /**
             * @description Records per page.
             * @example 15
             */
            per_page: number;
            /**
             * @description Number of its last record.
             * @example 1
             */
            to: number | null;
            /**
             * @description Records in the whole list.
             * @example 1
             */
            total: number;
        };
        KnowledgeBaseListDto: {
            /** @description The knowledge bases of this page, newest first. */
            data: components["schemas"]["KnowledgeBaseDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["PageMetaDto"];
        };
        CreateKnowledgeBaseDto: {
            /**
             * @description What people call it.
             * @example Returns
             */
            title: string;
            /**
             * @description Where its content comes from.
             * @example text
             * @enum {string}
             */
            source_type: "text" | "file" | "url";
            /**
             * @description The text, plain or in Markdown, of a `text`. A longer one is uploaded as a file.
             * @example Goods can be returned within 30 days.
             */
            content?: string | null;
            /**
             * @description The http or https address of a `url`: a page, or a PDF, DOCX, CSV, Markdown or text file.
             * @example null
             */
            source_reference?: string | null;
        };
        KnowledgeBaseWithMessageDto: {
            /** @description The knowledge base. */
            data: components["schemas"]["KnowledgeBaseDto"];
            /**
             * @description What was done.
             * @example Knowledge base created successfully.
             */
            message: string;
        };
        FoundKnowledgeBaseDto: {
            /** @description The knowledge base. */
            data: components["schemas"]["KnowledgeBaseDto"];
        };
        UpdateKnowledgeBaseDto: {
            /**
             * @description A new title.
             * @example Returns and refunds
             */
            title?: string | null;
            /**
             * @description A new text, only of a `text`. Searches find the old one until the answer is there, then the new one.
             * @example Goods can be returned within 60 days.
             */
            content?: string | null;
            /**
             * @description Whether agents may use it.
             * @example true
             */
            is_active?: boolean | null;
        };
        KnowledgeBaseDeletedDto: {
            /**
             * @description What was done.
             * @example Knowledge base deleted successfully.
             */
            message: string;
        };
        WebhookActionDto: {
            /**
             * @description Identifier; a new one whenever the list of actions is given anew.
             * @example 1
             */
            id: number;
            /**
             * @description The agent gets its result under this name.
             * @example book
             */
            name: string;
            /**
             * @description Where the request goes, with its placeholders.
             * @example https://example.com/bookings/{{args.date}}
             */
            url: string;
            /**
             * @description Its HTTP method.
             * @example POST
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description Its JSON body, with placeholders; null: the arguments are sent.
             * @example {
             *       "date": "{{args.date}}"
             *     }
             */
            payload: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Its headers by name; secret values are `********`.
             * @example {
             *       "Authorization": "********",
             *       "X-Team": "front-desk"
             *     }
             */
            headers: {
                [key: string]: string;
            } | null;
            /**
             * @description What is appended to the query of the URL.
             * @example {
             *       "source": "phone"
             *     }
             */
            query_params: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whether the agent waits for the answer.
             * @example true
             */
            wait_response: boolean;
            /**
             * @description How long it waits.
             * @example 10
             */
            timeout_seconds: number;
        };
        ToolDto: {
            /**
             * @description Identifier, unique within the service.
             * @example 1
             */
            id: number;
            /**
             * @description The agent that uses it.
             * @example 1
             */
            agent_id: number;
            /**
             * @description What the agent calls it.
             * @example book_table
             */
            name: string;
            /**
             * @description By this the agent decides when to use it.
             * @example Books a table. Use it when the caller has told a day and the number of guests.
             */
            description: string;
            /**
             * @description Whether the agent may use it.
             * @example true
             */
            is_active: boolean;
            /**
             * @description JSON Schema of its input.
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "date": {
             *           "type": "string",
             *           "format": "date"
             *         }
             *       },
             *       "required": [
             *         "date"
             *       ]
             *     }
             */
            parameters: {
                [key: string]: unknown;
            };
            /** @description The requests that are made, in this order. */
            webhook_actions: components["schemas"]["WebhookActionDto"][];
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            updated_at: string;
        };
        ToolListDto: {
            /** @description The tools of this page, newest first. */
            data: components["schemas"]["ToolDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["PageMetaDto"];
        };
        CreateWebhookActionDto: {
            /**
             * @description What it does, unlike those of the other actions: the agent gets its result under this name.
             * @example book
             */
            name: string;
            /**
             * @description Where the request goes: http or https, to a public address. Placeholders such as `{{args.city}}` may stand in its path and query.
             * @example https://example.com/bookings/{{args.date}}
             */
            url: string;
            /**
             * @description Its HTTP method.
             * @default POST
             * @example POST
             * @enum {string|null}
             */
            method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | null;
            /**
             * @description The JSON body, at most 16384 bytes, with placeholders; a text that is exactly one placeholder becomes its value with its type. Null: POST, PUT and PATCH send `{tool, arguments, call_id, agent_id}`, GET and DELETE the arguments as query.
             * @example {
             *       "date": "{{args.date}}",
             *       "guests": "{{args.guests}}",
             *       "caller": "{{call.to_number}}"
             *     }
             */
            payload?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Headers by name, at most 20: a value, or `{"value": "…", "secret": true}`. All values are encrypted at rest; secret ones (also those of names such as Authorization and X-Api-Key unless `secret` is false) are answered as `********`. In an update `********` keeps the stored value while the action keeps its name and host.
             * @example {
             *       "Authorization": "Bearer 4f1c9a",
             *       "X-Team": "front-desk"
             *     }
             */
            headers?: {
                [key: string]: string | {
                    value: string;
                    secret?: boolean;
                };
            } | null;
            /**
             * @description What is appended to the query of the URL, at most 50 parameters: texts (with placeholders), numbers, booleans, null, or arrays of them.
             * @example {
             *       "source": "phone",
             *       "lang": "{{metadata.language}}"
             *     }
             */
            query_params?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whether the agent waits for the answer, which is its result. Otherwise the request is queued, and tried again like a webhook.
             * @default true
             * @example true
             */
            wait_response?: boolean | null;
            /**
             * @description How long the agent waits for the answer.
             * @default 10
             * @example 10
             */
            timeout_seconds?: number | null;
        };
        CreateToolDto: {
            /**
             * @description What the agent calls it; unlike the other tools of the agent and call_transfer, end_call, send_dtmf, search_knowledge_base.
             * @example book_table
             */
            name: string;
            /**
             * @description By this the agent decides when to use it.
             * @example Books a table. Use it when the caller has told a day and the number of guests.
             */
            description: string;
            /**
             * @description JSON Schema (draft 2020-12, 2019-09 or 07) of its input: that of an object, at most 16 KB, 256 schemas in 8 levels and 100 properties, with `$ref` to its own `$defs` only, patterns without look-around and back-references. Without it the tool takes no arguments.
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "date": {
             *           "type": "string",
             *           "format": "date",
             *           "description": "The day, as 2026-05-24."
             *         },
             *         "guests": {
             *           "type": "integer",
             *           "minimum": 1,
             *           "maximum": 12,
             *           "description": "How many come."
             *         }
             *       },
             *       "required": [
             *         "date",
             *         "guests"
             *       ]
             *     }
             */
            parameters?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whether the agent may use it.
             * @default true
             * @example true
             */
            is_active?: boolean | null;
            /** @description The requests that are made when it is invoked, in this order. */
            webhook_actions?: components["schemas"]["CreateWebhookActionDto"][] | null;
        };
        ToolWithMessageDto: {
            /** @description The tool. */
            data: components["schemas"]["ToolDto"];
            /**
             * @description What was done.
             * @example Tool created successfully.
             */
            message: string;
        };
        FoundToolDto: {
            /** @description The tool. */
            data: components["schemas"]["ToolDto"];
        };
        UpdateToolDto: {
            /**
             * @description What the agent calls it; unlike the other tools of the agent and call_transfer, end_call, send_dtmf, search_knowledge_base.
             * @example book_table
             */
            name?: string;
            /**
             * @description By this the agent decides when to use it.
             * @example Books a table. Use it when the caller has told a day and the number of guests.
             */
            description?: string;
            /**
             * @description JSON Schema (draft 2020-12, 2019-09 or 07) of its input: that of an object, at most 16 KB, 256 schemas in 8 levels and 100 properties, with `$ref` to its own `$defs` only, patterns without look-around and back-references. Without it the tool takes no arguments.
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "date": {
             *           "type": "string",
             *           "format": "date",
             *           "description": "The day, as 2026-05-24."
             *         },
             *         "guests": {
             *           "type": "integer",
             *           "minimum": 1,
             *           "maximum": 12,
             *           "description": "How many come."
             *         }
             *       },
             *       "required": [
             *         "date",
             *         "guests"
             *       ]
             *     }
             */
            parameters?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whether the agent may use it.
             * @default true
             * @example true
             */
            is_active?: boolean | null;
            /** @description All requests that are made from now on: they take the place of those that there were, with new ids. An empty list removes them. */
            webhook_actions?: components["schemas"]["CreateWebhookActionDto"][] | null;
        };
        ToolDeletedDto: {
            /**
             * @description What was done.
             * @example Tool deleted successfully.
             */
            message: string;
        };
        InvokeToolDto: {
            /**
             * @description What the agent would invoke the tool with; checked against its `parameters`. Absent: `{}`.
             * @example {
             *       "date": "2026-05-24",
             *       "guests": 4
             *     }
             */
            arguments?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description In place of the metadata of a call, for `{{metadata.…}}`; at most 16384 bytes of JSON. `{{call.…}}` is missing.
             * @example {
             *       "customer": "c-4711"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        ActionErrorDto: {
            /**
             * @description What went wrong.
             * @example http_error
             * @enum {string}
             */
            code: "invalid_arguments" | "unusable_value" | "request_too_large" | "blocked_address" | "not_signed" | "busy" | "timeout" | "connection_failed" | "http_error" | "answer_too_large" | "unreadable_answer" | "aborted";
            /**
             * @description The same as a sentence.
             * @example The endpoint answered with status 503.
             */
            message: string;
            /**
             * @description Of the answer, when there was one.
             * @example 503
             */
            status?: number;
            /**
             * @description The first 500 characters of an answer that was an error.
             * @example Try later.
             */
            answer?: string;
        };
        InvokedActionDto: {
            /**
             * Format: uuid
             * @description What was sent as `webhook-id` and `Idempotency-Key`.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34
             */
            id: string;
            /**
             * @description The action.
             * @example weather
             */
            name: string;
            /**
             * @description Of its request.
             * @example POST
             */
            method: string;
            /**
             * @description `queued`: it is not waited for, and delivered with retries.
             * @example succeeded
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "queued";
            /**
             * @description HTTP status; null without an answer.
             * @example 200
             */
            status: number | null;
            /**
             * @description Milliseconds from the request to the last byte of its answer; null when nothing was sent.
             * @example 84
             */
            latency_ms: number | null;
            /** @description Null unless it failed. */
            error: components["schemas"]["ActionErrorDto"] | null;
        };
        ToolRunDto: {
            /**
             * Format: uuid
             * @description Names this invocation.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33
             */
            invocation_id: string;
            /**
             * @description No action failed.
             * @example true
             */
            ok: boolean;
            /**
             * @description What the agent would get, at most 8,000 characters of JSON: by name of the action its answer, `{queued: true}`, or `{error}`.
             * @example {
             *       "weather": {
             *         "celsius": 21
             *       }
             *     }
             */
            result: {
                [key: string]: unknown;
            };
            /** @description In list order. */
            actions: components["schemas"]["InvokedActionDto"][];
        };
        InvokedToolDto: {
            /** @description The invocation. */
            data: components["schemas"]["ToolRunDto"];
        };
        ToolCallAttemptDto: {
            /**
             * @description Number of this try.
             * @example 1
             */
            attempt: number;
            /**
             * Format: date-time
             * @description When it was sent.
             * @example 2026-01-02T03:04:09.100+00:00
             */
            at: string;
            /**
             * @description HTTP status; null without an answer.
             * @example 200
             */
            status: number | null;
            /**
             * @description Milliseconds to the last byte of the answer.
             * @example 84
             */
            latency_ms: number;
            /**
             * @description What went wrong, as a sentence.
             * @example null
             */
            error: string | null;
            /**
             * @description The first 2,000 characters of the answer.
             * @example {"celsius":21}
             */
            answer: string | null;
            /**
             * @description As sent; values of the headers that were given with the action are redacted.
             * @example {
             *       "webhook-id": "019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34",
             *       "x-api-key": "[redacted]"
             *     }
             */
            request_headers: {
                [key: string]: string;
            };
        };
        ToolCallActionDto: {
            /**
             * Format: uuid
             * @description What was sent as `webhook-id` and `Idempotency-Key`.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34
             */
            id: string;
            /**
             * @description The action.
             * @example weather
             */
            name: string;
            /**
             * @description Of its request.
             * @example POST
             */
            method: string;
            /**
             * @description Of its request, without the query.
             * @example https://example.com/weather
             */
            url: string;
            /**
             * @description `queued`: it is not waited for, and neither delivered nor given up yet.
             * @example succeeded
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "queued";
            /**
             * @description `{code, message}` of an action that failed, as the agent got it.
             * @example null
             */
            error: {
                [key: string]: unknown;
            } | null;
            /** @description One when it was waited for, up to 13 when it was queued, none when its request could not be made. */
            attempts: components["schemas"]["ToolCallAttemptDto"][];
        };
        ToolCallDto: {
            /**
             * Format: uuid
             * @description Names the invocation; also in the post-call webhook.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33
             */
            invocation_id: string;
            /**
             * @description The tool, which may have been deleted since.
             * @example 1
             */
            tool_id: number;
            /**
             * @description Its name when it was invoked.
             * @example get_weather
             */
            tool: string;
            /**
             * @description The same as in the post-call webhook.
             * @example call_8Zk2
             */
            tool_call_id: string | null;
            /**
             * @description Where it was invoked.
             * @example call
             * @enum {string}
             */
            source: "call" | "invoke" | "simulation";
            /**
             * @description What it was invoked with.
             * @example {
             *       "city": "Bonn"
             *     }
             */
            arguments: {
                [key: string]: unknown;
            };
            /**
             * @description No action failed; null until it ends.
             * @example true
             */
            ok: boolean | null;
            /**
             * @description What the agent got, by name of the action; null until it ends.
             * @example {
             *       "weather": {
             *         "celsius": 21
             *       }
             *     }
             */
            result: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was invoked.
             * @example 2026-01-02T03:04:09.098+00:00
             */
            started_at: string;
            /**
             * Format: date-time
             * @description Null while it runs. When the process that ran it dies, it is ended as failed after ten minutes.
             * @example 2026-01-02T03:04:09.190+00:00
             */
            ended_at: string | null;
            /** @description In list order. */
            actions: components["schemas"]["ToolCallActionDto"][];
        };
        ToolCallListDto: {
            /** @description Oldest first. */
            data: components["schemas"]["ToolCallDto"][];
        };
        ListedInvocationDto: {
            /**
             * Format: uuid
             * @description Names the invocation; also in the post-call webhook.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33
             */
            invocation_id: string;
            /**
             * @description The tool, which may have been deleted since.
             * @example 1
             */
            tool_id: number;
            /**
             * @description Its name when it was invoked.
             * @example get_weather
             */
            tool: string;
            /**
             * @description The same as in the post-call webhook.
             * @example call_8Zk2
             */
            tool_call_id: string | null;
            /**
             * Format: date-time
             * @description When it was invoked.
             * @example 2026-01-02T03:04:09.098+00:00
             */
            started_at: string;
            /**
             * Format: date-time
             * @description Null while it runs. When the process that ran it dies, it is ended as failed after ten minutes.
             * @example 2026-01-02T03:04:09.190+00:00
             */
            ended_at: string | null;
            /**
             * @description The agent, which may have been deleted since.
             * @example 1
             */
            agent_id: number;
            /**
             * Format: uuid
             * @description The call; null outside of one.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string | null;
            /**
             * @description Where it was invoked.
             * @example call
             * @enum {string}
             */
            source: "call" | "invoke" | "simulation";
            /**
             * @description `failed`: one of its actions that were waited for did, or the process that ran it died; the latter is known after ten minutes.
             * @example succeeded
             * @enum {string}
             */
            state: "running" | "succeeded" | "failed";
        };
        InvocationListDto: {
            /** @description The invocations of this page, newest first. */
            data: components["schemas"]["ListedInvocationDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["ListMetaDto"];
        };
        ToolInvocationDto: {
            /**
             * Format: uuid
             * @description Names the invocation; also in the post-call webhook.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33
             */
            invocation_id: string;
            /**
             * @description The tool, which may have been deleted since.
             * @example 1
             */
            tool_id: number;
            /**
             * @description Its name when it was invoked.
             * @example get_weather
             */
            tool: string;
            /**
             * @description The same as in the post-call webhook.
             * @example call_8Zk2
             */
            tool_call_id: string | null;
            /**
             * @description Where it was invoked.
             * @example call
             * @enum {string}
             */
            source: "call" | "invoke" | "simulation";
            /**
             * @description What it was invoked with.
             * @example {
             *       "city": "Bonn"
             *     }
             */
            arguments: {
                [key: string]: unknown;
            };
            /**
             * @description No action failed; null until it ends.
             * @example true
             */
            ok: boolean | null;
            /**
             * @description What the agent got, by name of the action; null until it ends.
             * @example {
             *       "weather": {
             *         "celsius": 21
             *       }
             *     }
             */
            result: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was invoked.
             * @example 2026-01-02T03:04:09.098+00:00
             */
            started_at: string;
            /**
             * Format: date-time
             * @description Null while it runs. When the process that ran it dies, it is ended as failed after ten minutes.
             * @example 2026-01-02T03:04:09.190+00:00
             */
            ended_at: string | null;
            /** @description In list order. */
            actions: components["schemas"]["ToolCallActionDto"][];
            /**
             * @description The agent, which may have been deleted since.
             * @example 1
             */
            agent_id: number;
            /**
             * Format: uuid
             * @description The call; null outside of one.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string | null;
        };
        FoundInvocationDto: {
            /** @description The invocation. */
            data: components["schemas"]["ToolInvocationDto"];
        };
        StepResultDto: {
            /**
             * @description Number of the step, from 1.
             * @example 1
             */
            step: number;
            /**
             * @description Its name, if it has one.
             * @example greeting
             */
            name: string | null;
            /**
             * @description All that it expects was met.
             * @example true
             */
            passed: boolean;
            /**
             * @description A sentence for each thing that was not.
             * @example []
             */
            failures: string[];
            /**
             * @description What the agent said.
             * @example [
             *       "Hello, this is ACME."
             *     ]
             */
            said: string[];
            /**
             * @description Names of the tools that it called.
             * @example [
             *       "order_status"
             *     ]
             */
            tool_calls: string[];
            /**
             * @description Milliseconds from the input to its first words, in the time of the conversation; null: it said nothing.
             * @example 412
             */
            spoke_after_ms: number | null;
        };
        FoundPassageDto: {
            /**
             * @description The passage.
             * @example Article 4711 costs three euros.
             */
            text: string;
            /**
             * @description File name or URL, else the title.
             * @example prices.pdf
             */
            source: string;
            /**
             * @description Title of the knowledge base.
             * @example Price list
             */
            title: string;
            /**
             * @description 0 to 1, comparable within one search.
             * @example 0.92
             */
            score: number;
            /**
             * @description Page, from 1; null where there are none.
             * @example 2
             */
            page: number | null;
            /**
             * @description Headings above it, the outermost first.
             * @example [
             *       "Prices",
             *       "Tea"
             *     ]
             */
            heading_path: string[];
            /**
             * @description Rows of a table, from 1; null for other text.
             * @example null
             */
            rows: {
                first?: number;
                last?: number;
            } | null;
            /**
             * @description The knowledge base.
             * @example 3
             */
            knowledge_base_id: number;
            /**
             * @description The chunk, as the search of the API names it.
             * @example 17
             */
            chunk_id: string;
        };
        KnowledgeSearchDto: {
            /**
             * @description The same as in `tool_calls`.
             * @example tool-response-2
             */
            tool_call_id: string;
            /**
             * @description What it looked for.
             * @example price of 4711
             */
            query: string | null;
            /** @description What it was given, the best first. */
            results: components["schemas"]["FoundPassageDto"][];
            /**
             * @description `{code, message}` of a search that failed.
             * @example null
             */
            error: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Milliseconds after the answer.
             * @example 8120
             */
            started_ms: number;
            /**
             * @description Milliseconds after the answer.
             * @example 8124
             */
            ended_ms: number;
        };
        SimulationUsageDto: {
            /**
             * @description What was used.
             * @example output_text_tokens
             */
            kind: string;
            /**
             * @description How much of it.
             * @example 0.128
             */
            quantity: number;
            /**
             * @description Unit of `quantity`.
             * @example thousand_tokens
             */
            unit: string;
            /**
             * @description Who charges for it.
             * @example openai-realtime
             */
            source: string;
        };
        SimulationEndDto: {
            /**
             * @description Who ended it.
             * @example agent
             * @enum {string}
             */
            ended_by: "agent" | "callee" | "system";
            /**
             * @description Why, as `hangup_cause` of a call.
             * @example agent_hangup
             */
            cause: string;
        };
        SimulationDto: {
            /**
             * @description Name of the scenario.
             * @example asks for a price
             */
            name: string;
            /**
             * @description Every step passed.
             * @example true
             */
            passed: boolean;
            /** @description How each step went. */
            steps: components["schemas"]["StepResultDto"][];
            /** @description What was said by both sides, in order. */
            transcript: components["schemas"]["TranscriptTurnDto"][];
            /**
             * @description Tools the agent called, with arguments and results, as in the post-call webhook.
             * @example []
             */
            tool_calls: {
                [key: string]: unknown;
            }[];
            /** @description What the agent looked up in its knowledge bases. */
            knowledge_searches: components["schemas"]["KnowledgeSearchDto"][];
            /** @description What the provider counted. */
            usage: components["schemas"]["SimulationUsageDto"][];
            /**
             * @description What that costs by the price book, in USD; counts towards the daily spend of the account.
             * @example 0.00142
             */
            cost: number;
            /** @description How the conversation ended; null: the steps were over first. */
            end: components["schemas"]["SimulationEndDto"] | null;
            /**
             * @description Why it could not be played to its end, whatever the agent is like.
             * @example null
             */
            error: string | null;
            /**
             * @description How long the conversation would have taken.
             * @example 14200
             */
            conversation_ms: number;
            /**
             * @description How long it took.
             * @example 310
             */
            duration_ms: number;
            /**
             * @description With `tools: record`: the answers of the tools, to be given as `mocks`.
             * @example null
             */
            mocks: {
                [key: string]: unknown;
            } | null;
        };
        SimulatedDto: {
            /** @description What became of the scenario, whether it passed or not. */
            data: components["schemas"]["SimulationDto"];
        };
        AgentDto: {
            /**
             * @description The `agent_id` of calls, knowledge bases and tools.
             * @example 1
             */
            id: number;
            /**
             * @description Unique in the account.
             * @example Receptionist
             */
            name: string;
            /**
             * @description Whose voice model speaks.
             * @example sandbox
             */
            provider: string;
            /**
             * @description It may be given calls.
             * @example true
             */
            active: boolean;
            /**
             * @description Its first words; empty: it waits.
             * @example Hello, this is ACME.
             */
            greeting: string;
            /**
             * @description Longest duration of its calls.
             * @example 600
             */
            max_call_seconds: number;
            /**
             * @description How long its calls ring at most.
             * @example 60
             */
            ring_timeout_seconds: number;
            /**
             * @description It may transfer calls.
             * @example false
             */
            transfer_enabled: boolean;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its settings changed.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            updated_at: string;
        };
        AgentListDto: {
            /** @description The agents of this page, by name. */
            data: components["schemas"]["AgentDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["PageMetaDto"];
        };
        NumberDto: {
            /**
             * @description The `number_id` of calls.
             * @example 1
             */
            id: number;
            /**
             * @description Unique in the account.
             * @example main
             */
            name: string;
            /**
             * @description The number itself.
             * @example +15550001111
             */
            e164: string;
            /**
             * @description Calls may come from it.
             * @example true
             */
            active: boolean;
            /**
             * @description The agent that answers calls to it; null: they are not answered.
             * @example 1
             */
            agent_id: number | null;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its settings changed.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            updated_at: string;
        };
        NumberListDto: {
            /** @description The phone numbers of this page, by name. */
            data: components["schemas"]["NumberDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["PageMetaDto"];
        };
        TrunkTargetDto: {
            /**
             * @description Host name or address.
             * @example sbc1.example.net
             */
            host: string;
            /**
             * @description Null: the DNS or the transport decides.
             * @example 5061
             */
            port: number | null;
            /**
             * @description Null: the DNS decides (RFC 3263).
             * @example tls
             * @enum {string|null}
             */
            transport: "udp" | "tcp" | "tls" | null;
            /**
             * @description Lower ones are tried first.
             * @example 10
             */
            priority: number;
            /**
             * @description Of this target, whether it answered OPTIONS at the last check; `unknown` when nobody has asked lately.
             * @example up
             * @enum {string}
             */
            state: "up" | "down" | "unknown";
            /**
             * @description Why it is down, for people.
             * @example null
             */
            reason: string | null;
            /**
             * @description What it answered.
             * @example 200
             */
            sip_status: number | null;
            /**
             * @description How long that took, in milliseconds.
             * @example 12.3
             */
            rtt_ms: number | null;
            /**
             * Format: date-time
             * @description Since when it is in this state.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            changed_at: string | null;
        };
        TrunkTlsDto: {
            /**
             * @description Name in its certificate; null: the host.
             * @example null
             */
            server_name: string | null;
            /**
             * @description Whether it has a `ca` of its own instead of the system's.
             * @example false
             */
            own_authorities: boolean;
            /**
             * Format: date-time
             * @description When our certificate for it runs out; null without one.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            client_certificate_expires_at: string | null;
        };
        TrunkExtensionsDto: {
            /**
             * @description Fewest digits of an extension.
             * @example 2
             */
            min_digits: number;
            /**
             * @description Most digits of an extension.
             * @example 5
             */
            max_digits: number;
        };
        TrunkDialFormatsDto: {
            /** @description User parts of digits alone, such as `sip:1001@…`. */
            extensions: components["schemas"]["TrunkExtensionsDto"];
        };
        TrunkDto: {
            /**
             * @description The `trunk_id` of calls.
             * @example 1
             */
            id: number;
            /**
             * @description Unique in the account.
             * @example carrier
             */
            name: string;
            /**
             * @description Calls may go over it.
             * @example true
             */
            active: boolean;
            /**
             * @description `up` as long as one target is; whether it answered OPTIONS at the last check; `unknown` when nobody has asked lately. For information: calls are tried over a trunk that is down, too.
             * @example up
             * @enum {string}
             */
            state: "up" | "down" | "unknown";
            /**
             * @description Why it is not up, or not wholly, for people.
             * @example null
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description Since when it is in this state; null when it was never checked.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            changed_at: string | null;
            /**
             * Format: date-time
             * @description When a dialer asked last; null: never.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            checked_at: string | null;
            /** @description In the order in which they are tried. */
            targets: components["schemas"]["TrunkTargetDto"][];
            /**
             * @description Calls that occupy it now; the second leg of a transfer is one, too.
             * @example 2
             */
            live_calls: number;
            /**
             * @description Calls at once; null: no limit of its own.
             * @example 10
             */
            concurrent_calls: number | null;
            /**
             * @description Calls begun per second; null: no limit of its own.
             * @example 2
             */
            calls_per_second: number | null;
            /**
             * @description Of the digest credentials.
             * @example acme
             */
            username: string | null;
            /**
             * @description Host in From.
             * @example acme.example.net
             */
            from_domain: string | null;
            /**
             * @description Whether calls carry P-Asserted-Identity.
             * @example false
             */
            assert_identity: boolean;
            /**
             * @description Whether numbers are marked `user=phone`.
             * @example true
             */
            user_phone: boolean;
            /**
             * @description Outbound trunk of LiveKit that calls go through instead, with `ENGINE=livekit`.
             * @example null
             */
            livekit_trunk_id: string | null;
            /**
             * @description Headers of the INVITE, and the keys of the call's metadata they are taken from.
             * @example {
             *       "X-Order-Id": "order_id"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /**
             * @description In the order of preference; null: the dialer's.
             * @example [
             *       "PCMA",
             *       "PCMU"
             *     ]
             */
            codecs: string[] | null;
            /**
             * @description Whether the audio is encrypted.
             * @example off
             * @enum {string}
             */
            srtp: "off" | "optional" | "required";
            /** @description Of targets that are reached over TLS. */
            tls: components["schemas"]["TrunkTlsDto"];
            /**
             * @description How calls are transferred.
             * @example bridge
             * @enum {string}
             */
            transfer: "bridge" | "refer";
            /** @description What may be dialled over it beside E.164 numbers and names; null: nothing else. */
            dial_formats: components["schemas"]["TrunkDialFormatsDto"] | null;
            /**
             * @description How often its health is asked for; 0: never.
             * @example 60
             */
            options_ping_seconds: number;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its settings changed.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            updated_at: string;
        };
        TrunkListDto: {
            /** @description The trunks of this page, by name. */
            data: components["schemas"]["TrunkDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["PageMetaDto"];
        };
        FoundTrunkDto: {
            /** @description The trunk. */
            data: components["schemas"]["TrunkDto"];
        };
        AuditActorDto: {
            /**
             * @description A token of the API, somebody at the command line, or the service itself.
             * @example token
             * @enum {string}
             */
            kind: "token" | "cli" | "system";
            /**
             * @description Of a token its id; at the command line the name of the user; null when it is not known.
             * @example 12
             */
            id: string | null;
        };
        AuditSubjectDto: {
            /**
             * @description What kind of thing it was done to.
             * @example tool
             */
            kind: string;
            /**
             * @description Its id.
             * @example 7
             */
            id: string;
        };
        AuditEventDto: {
            /**
             * @description Identifier; later events have higher ones.
             * @example 1
             */
            id: number;
            /**
             * Format: date-time
             * @description When it was done.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            at: string;
            /**
             * @description Whose it is.
             * @example 1
             */
            account_id: number | null;
            /** @description Who did it. */
            actor: components["schemas"]["AuditActorDto"];
            /**
             * @description What was done.
             * @example tool.created
             */
            action: string;
            /** @description What it was done to. */
            subject: components["schemas"]["AuditSubjectDto"] | null;
            /**
             * @description Names, ids and settings; never secrets.
             * @example {
             *       "name": "book_table",
             *       "agent_id": 1
             *     }
             */
            details: {
                [key: string]: unknown;
            };
            /**
             * @description The `X-Request-Id` of the request that asked for it.
             * @example 0b7e5c1e-5f0a-4d55-9d0e-4a7f4c1f7f7b
             */
            request_id: string | null;
        };
        AuditEventListDto: {
            /** @description The events of this page, newest first. */
            data: components["schemas"]["AuditEventDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["ListMetaDto"];
        };
        TokenDto: {
            /**
             * @description Identifier.
             * @example 12
             */
            id: number;
            /**
             * @description What it is for.
             * @example crm
             */
            name: string;
            /**
             * @description Its first characters.
             * @example tk_4fGh…
             */
            hint: string;
            /** @description What it may do. */
            scopes: ("agents:read" | "audit:read" | "calls:read" | "calls:write" | "knowledge:read" | "knowledge:write" | "numbers:read" | "tokens:read" | "tokens:write" | "tools:read" | "tools:write" | "trunks:read" | "webhooks:read" | "webhooks:write")[];
            /**
             * Format: date-time
             * @description When it ends; null: never.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was revoked; null: it was not.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            revoked_at: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute; null: never.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            last_used_at: string | null;
            /**
             * @description The token that took its place.
             * @example null
             */
            replaced_by: number | null;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
        };
        TokenListDto: {
            /** @description The tokens of this page, newest first. */
            data: components["schemas"]["TokenDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["PageMetaDto"];
        };
        CreateTokenDto: {
            /**
             * @description What it is for.
             * @example crm
             */
            name: string;
            /**
             * @description What it may do: some of what the request's own token may. Left out: the same.
             * @example [
             *       "calls:read"
             *     ]
             */
            scopes?: ("agents:read" | "audit:read" | "calls:read" | "calls:write" | "knowledge:read" | "knowledge:write" | "numbers:read" | "tokens:read" | "tokens:write" | "tools:read" | "tools:write" | "trunks:read" | "webhooks:read" | "webhooks:write")[] | null;
            /**
             * @description When it ends: an ISO 8601 date (its last moment, UTC) or time. Left out, or later: when the token of the request ends, if it does.
             * @example 2030-01-31
             */
            expires_at?: string | null;
        };
        IssuedTokenDto: {
            /**
             * @description Identifier.
             * @example 12
             */
            id: number;
            /**
             * @description What it is for.
             * @example crm
             */
            name: string;
            /**
             * @description Its first characters.
             * @example tk_4fGh…
             */
            hint: string;
            /** @description What it may do. */
            scopes: ("agents:read" | "audit:read" | "calls:read" | "calls:write" | "knowledge:read" | "knowledge:write" | "numbers:read" | "tokens:read" | "tokens:write" | "tools:read" | "tools:write" | "trunks:read" | "webhooks:read" | "webhooks:write")[];
            /**
             * Format: date-time
             * @description When it ends; null: never.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was revoked; null: it was not.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            revoked_at: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute; null: never.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            last_used_at: string | null;
            /**
             * @description The token that took its place.
             * @example null
             */
            replaced_by: number | null;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * @description The token itself. It is shown this once.
             * @example tk_4fGhExampleExampleExampleExampleExampleExampleExamp
             */
            token: string;
        };
        TokenIssuedDto: {
            /**
             * @description What was done.
             * @example Token created successfully.
             */
            message: string;
            /** @description The new token. */
            data: components["schemas"]["IssuedTokenDto"];
        };
        RotateTokenDto: {
            /**
             * @description How long the old token works on. 0: it ends at once (within 5 s).
             * @default 60
             */
            overlap_minutes?: number | null;
        };
        TokenRevokedDto: {
            /**
             * @description What was done.
             * @example Token revoked successfully.
             */
            message: string;
        };
        HealthDto: {
            /**
             * @description Whether all is well.
             * @example ok
             * @enum {string}
             */
            status: "ok" | "unavailable";
            /**
             * @description Why requests should not be sent here.
             * @example [
             *       "the database does not answer"
             *     ]
             */
            reasons?: string[];
        };
        DeliveryDto: {
            /**
             * Format: uuid
             * @description The `webhook-id` of its requests, the same on every attempt and every replay.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
             */
            id: string;
            /**
             * @description Kind of webhook.
             * @example call-status
             * @enum {string}
             */
            type: "call-status" | "post-call" | "tool-action" | "test";
            /**
             * @description What happened: `ringing`, `completed`, …; `ended` of a post-call, `invoked` of a tool action, `test`.
             * @example completed
             */
            event: string;
            /**
             * Format: uuid
             * @description The call; null outside of one.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string | null;
            /**
             * Format: uuid
             * @description The invocation of a tool action; null for others.
             * @example null
             */
            invocation_id: string | null;
            /**
             * @description Its number among the webhooks of the call.
             * @example 4
             */
            sequence: number;
            /**
             * @description Method of its requests.
             * @example POST
             */
            method: string;
            /**
             * @description URL of its requests, without the query.
             * @example https://example.com/hooks/call-status
             */
            url: string;
            /**
             * @description `pending`: on its way, later events of the call wait behind it. `slow`: tried for three days while others pass. `delivered`: answered with 2xx. `dead`: given up, or its endpoint is disabled. `refused`: its URL leads to an address that is not allowed; nothing was sent.
             * @example delivered
             * @enum {string}
             */
            state: "pending" | "slow" | "delivered" | "dead" | "refused";
            /**
             * @description Attempts so far.
             * @example 1
             */
            attempt_count: number;
            /**
             * Format: date-time
             * @description When it is tried next, at the earliest; null when it is not.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description HTTP status of the last attempt; null without an answer.
             * @example 200
             */
            last_status: number | null;
            /**
             * @description The error of the last attempt, as a sentence.
             * @example null
             */
            last_error: string | null;
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:05.432+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was delivered; null while it is not.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @description When it was replayed last.
             * @example null
             */
            replayed_at: string | null;
        };
        DeliveryListDto: {
            /** @description The deliveries of this page, newest first. */
            data: components["schemas"]["DeliveryDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["ListMetaDto"];
        };
        ReplayDeliveriesDto: {
            /**
             * Format: uuid
             * @description Deliveries of this call.
             */
            call_id?: string;
            /**
             * @description Deliveries of this type.
             * @enum {string}
             */
            type?: "call-status" | "post-call" | "tool-action" | "test";
            /**
             * @description Deliveries of this event.
             * @enum {string}
             */
            event?: "initiated" | "ringing" | "in-progress" | "completed" | "failed" | "busy" | "no-answer" | "cancelled" | "ended" | "invoked" | "test";
            /** @description Deliveries to this URL; queries are not compared. Together with `call_id`, or a `state` other than `delivered`. */
            url?: string;
            /** @description What happened at this time or earlier; a date covers its whole day (UTC). */
            date_to?: string;
            /**
             * @description Events at this time or later: ISO 8601, a date (UTC) or a time with `Z` or an offset.
             * @example 2026-01-02T03:00:00Z
             */
            date_from: string;
            /**
             * @description Deliveries in this state. Without it undelivered ones: `slow`, `dead` and `refused`. Only `delivered` repeats received webhooks.
             * @example dead
             * @enum {string|null}
             */
            state?: "slow" | "delivered" | "dead" | "refused" | null;
            /** @description Continues a replay: `next_cursor` of the previous answer, with the same other fields. */
            cursor?: string | null;
        };
        RangeReplayDto: {
            /**
             * @description How many webhooks are sent again.
             * @example 12
             */
            replayed: number;
            /**
             * @description How many were skipped because their endpoint is disabled.
             * @example 0
             */
            skipped: number;
            /**
             * @description One request replays at most 10,000: pass this as `cursor` to continue. Null: the range is complete.
             * @example null
             */
            next_cursor: string | null;
        };
        RangeReplayedDto: {
            /**
             * @description What was done.
             * @example 12 webhooks will be sent again.
             */
            message: string;
            /** @description The counts. */
            data: components["schemas"]["RangeReplayDto"];
        };
        DeliveryAttemptDto: {
            /**
             * @description Number of this try.
             * @example 1
             */
            attempt: number;
            /**
             * Format: date-time
             * @description When it was sent.
             * @example 2026-01-02T03:04:09.100+00:00
             */
            at: string;
            /**
             * @description HTTP status; null without an answer.
             * @example 200
             */
            status: number | null;
            /**
             * @description Milliseconds to the last byte of the answer.
             * @example 84
             */
            latency_ms: number;
            /**
             * @description What went wrong, as a sentence.
             * @example null
             */
            error: string | null;
            /**
             * @description The first 16 KiB of the answer.
             * @example ok
             */
            answer: string | null;
            /**
             * @description As sent; the values of your headers are redacted.
             * @example {
             *       "webhook-id": "019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22",
             *       "authorization": "[redacted]"
             *     }
             */
            request_headers: {
                [key: string]: string;
            };
        };
        DeliveryWithAttemptsDto: {
            /**
             * Format: uuid
             * @description The `webhook-id` of its requests, the same on every attempt and every replay.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
             */
            id: string;
            /**
             * @description Kind of webhook.
             * @example call-status
             * @enum {string}
             */
            type: "call-status" | "post-call" | "tool-action" | "test";
            /**
             * @description What happened: `ringing`, `completed`, …; `ended` of a post-call, `invoked` of a tool action, `test`.
             * @example completed
             */
            event: string;
            /**
             * Format: uuid
             * @description The call; null outside of one.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string | null;
            /**
             * Format: uuid
             * @description The invocation of a tool action; null for others.
             * @example null
             */
            invocation_id: string | null;
            /**
             * @description Its number among the webhooks of the call.
             * @example 4
             */
            sequence: number;
            /**
             * @description Method of its requests.
             * @example POST
             */
            method: string;
            /**
             * @description URL of its requests, without the query.
             * @example https://example.com/hooks/call-status
             */
            url: string;
            /**
             * @description `pending`: on its way, later events of the call wait behind it. `slow`: tried for three days while others pass. `delivered`: answered with 2xx. `dead`: given up, or its endpoint is disabled. `refused`: its URL leads to an address that is not allowed; nothing was sent.
             * @example delivered
             * @enum {string}
             */
            state: "pending" | "slow" | "delivered" | "dead" | "refused";
            /**
             * @description Attempts so far.
             * @example 1
             */
            attempt_count: number;
            /**
             * Format: date-time
             * @description When it is tried next, at the earliest; null when it is not.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description HTTP status of the last attempt; null without an answer.
             * @example 200
             */
            last_status: number | null;
            /**
             * @description The error of the last attempt, as a sentence.
             * @example null
             */
            last_error: string | null;
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:05.432+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was delivered; null while it is not.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @description When it was replayed last.
             * @example null
             */
            replayed_at: string | null;
            /**
             * @description The exact text that is sent and signed; empty when there is none.
             * @example {"id":"019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22","type":"call-status","event":"completed"}
             */
            body: string;
            /** @description The last 30 attempts, oldest first. Each is kept for 30 days. */
            attempts: components["schemas"]["DeliveryAttemptDto"][];
        };
        FoundDeliveryDto: {
            /** @description The delivery. */
            data: components["schemas"]["DeliveryWithAttemptsDto"];
        };
        DeliveryWithMessageDto: {
            /**
             * @description What was done.
             * @example The webhook will be sent again.
             */
            message: string;
            /** @description The delivery in its new state. */
            data: components["schemas"]["DeliveryDto"];
        };
        EndpointDto: {
            /**
             * @description Identifier, unique within the service.
             * @example 1
             */
            id: number;
            /**
             * @description Its URL without query and fragment.
             * @example https://example.com/hooks/call-status
             */
            url: string;
            /**
             * @description Nothing is sent to a `disabled` endpoint: deliveries end as `dead` and can be replayed when it is enabled.
             * @example active
             * @enum {string}
             */
            state: "active" | "disabled";
            /**
             * Format: date-time
             * @description When it was disabled; null while it is active.
             * @example null
             */
            disabled_at: string | null;
            /**
             * @description Why: it answered 410 (`gone`), or all attempts of five days failed (`failing`).
             * @example null
             * @enum {string|null}
             */
            disabled_reason: "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Since when all attempts fail; null while it works.
             * @example null
             */
            first_failure_at: string | null;
            /**
             * Format: date-time
             * @description The last failure.
             * @example null
             */
            last_failure_at: string | null;
            /**
             * Format: date-time
             * @description The last success, exact to a minute.
             * @example 2026-01-02T03:04:00.000+00:00
             */
            last_success_at: string | null;
            /**
             * @description HTTP status of the last answer; null when there was none.
             * @example 200
             */
            last_status: number | null;
        };
        EndpointListDto: {
            /** @description The endpoints of this page, newest first. */
            data: components["schemas"]["EndpointDto"][];
            /** @description Neighbouring pages. */
            links: components["schemas"]["ListLinksDto"];
            /** @description Where this page lies in the list. */
            meta: components["schemas"]["PageMetaDto"];
        };
        EndpointWithMessageDto: {
            /**
             * @description What was done.
             * @example The endpoint is enabled.
             */
            message: string;
            /** @description The endpoint. */
            data: components["schemas"]["EndpointDto"];
        };
        WebhookSecretDto: {
            /**
             * @description Identifier, unique within the service.
             * @example 1
             */
            id: number;
            /**
             * @description Its last characters; the secret itself is shown once.
             * @example whsec_…Zk8=
             */
            hint: string;
            /**
             * Format: date-time
             * @description Time of creation.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it stops, during a rotation; null: it signs until it is rotated.
             * @example null
             */
            expires_at: string | null;
        };
        WebhookSecretListDto: {
            /** @description One, or two during a rotation; newest first. */
            data: components["schemas"]["WebhookSecretDto"][];
        };
        RotateSecretDto: {
            /**
             * @description How long webhooks carry a second signature with the previous secret.
             * @default 24
             * @example 24
             */
            overlap_hours?: number | null;
        };
        NewWebhookSecretDto: {
            /**
             * @description Identifier, unique within the service.
             * @example 2
             */
            id: number;
            /**
             * @description The secret. It is not shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            secret: string;
            /**
             * Format: date-time
             * @description Time of creation.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Until then webhooks are signed with the one before it, too.
             * @example 2026-01-03T03:04:05.678+00:00
             */
            previous_expires_at: string | null;
        };
        RotatedSecretDto: {
            /**
             * @description What was done.
             * @example The webhook secret is rotated.
             */
            message: string;
            /** @description The new secret. */
            data: components["schemas"]["NewWebhookSecretDto"];
        };
        SecretExpiredDto: {
            /**
             * @description What was done.
             * @example The webhook secret is expired.
             */
            message: string;
        };
        TestWebhookDto: {
            /**
             * @description The target of the test.
             * @example https://example.com/hooks/call-status
             */
            url?: string | null;
            /**
             * @description Its HTTP method, with `url`.
             * @default POST
             * @example POST
             * @enum {string|null}
             */
            method?: "POST" | "GET" | "PUT" | "PATCH" | null;
            /** @description Headers of the request, with `url`. */
            headers?: components["schemas"]["WebhookHeaderDto"][] | null;
            /** @description Instead of `url`: the agent whose webhook is tested, with its method and headers. */
            agent_id?: number | null;
            /**
             * @description Which of the two, with `agent_id`.
             * @default call_status
             * @enum {string|null}
             */
            webhook?: "call_status" | "post_call" | null;
        };
        CallStatusDataDto: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string;
            /**
             * @description State of the call.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "ringing" | "in_progress" | "completed" | "failed" | "no_answer" | "busy" | "cancelled";
            /**
             * @description Destination: an E.164 number without punctuation, or a SIP URI. Of an inbound call, the number of yours that was called.
             * @example sip:answer@127.0.0.1:5070
             */
            to_number: string;
            /**
             * @description The account's phone number that calls. Of an inbound call, the caller: an E.164 number, the digits as the carrier gave them, a SIP URI, or `anonymous`.
             * @example +15550001111
             */
            from_number: string;
            /**
             * @description Name of the agent, as it was when the call was created.
             * @example Receptionist
             */
            agent: string;
            /**
             * @description Who called.
             * @example outbound
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * @description The agent.
             * @example 1
             */
            agent_id: number;
            /**
             * @description What was given at creation; null with `metadata_omitted: true` when the body would be over 4 KB.
             * @example {
             *       "customer": "c-4711"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When the call was created.
             * @example 2026-01-02T03:04:05.432+00:00
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the first INVITE left.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description Null if not answered.
             * @example null
             */
            answered_at: string | null;
            /**
             * @description What picked up. It is known some seconds after `in-progress`, so that the webhook of the end is the first to have it. Null when the agent does not look for answering machines.
             * @example null
             * @enum {string|null}
             */
            answered_by: "human" | "machine" | "unknown" | null;
            /**
             * Format: date-time
             * @description Null until the end.
             * @example null
             */
            ended_at: string | null;
            /**
             * @description Why the call ended; null until then.
             * @example null
             */
            hangup_cause: string | null;
        };
        CallStatusEventDto: {
            /**
             * Format: uuid
             * @description Id of the event, equal to the `webhook-id` header and the same on every try: deduplicate by it.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
             */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            created_at: string;
            /**
             * @description Counts the webhooks of a call: a lower number happened earlier, whatever arrives first.
             * @example 2
             */
            sequence: number;
            /**
             * @description Kind of webhook.
             * @example call-status
             * @enum {string}
             */
            type: "call-status";
            /**
             * @description What happened.
             * @example ringing
             * @enum {string}
             */
            event: "initiated" | "ringing" | "in-progress" | "completed" | "failed" | "busy" | "no-answer" | "cancelled";
            /** @description The call as it is after the event. */
            data: components["schemas"]["CallStatusDataDto"];
        };
        RecordingDto: {
            /**
             * Format: uri
             * @description Download link without a token; it lives seven days.
             * @example http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767931445&signature=Zm9v
             */
            url: string | null;
            /**
             * @description Size of the file.
             * @example 192044
             */
            bytes: number | null;
            /**
             * @description Length in seconds.
             * @example 12
             */
            duration_seconds: number | null;
            /**
             * @description Why there is no recording although one was wanted: the storage failed, or the account has no room for it.
             * @example null
             */
            error: string | null;
        };
        MediaQualityDto: {
            /**
             * @description Mean opinion score 1 to 4.5 of what was heard from the remote party, estimated.
             * @example 4.3
             */
            mos: number | null;
            /**
             * @description Share of its packets that were lost, 0 to 1.
             * @example 0.002
             */
            loss_rate: number | null;
            /**
             * @description Their jitter in milliseconds.
             * @example 0.8
             */
            jitter_ms: number | null;
        };
        PostCallDataDto: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string;
            /**
             * @description State of the call.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "ringing" | "in_progress" | "completed" | "failed" | "no_answer" | "busy" | "cancelled";
            /**
             * @description Destination: an E.164 number without punctuation, or a SIP URI. Of an inbound call, the number of yours that was called.
             * @example sip:answer@127.0.0.1:5070
             */
            to_number: string;
            /**
             * @description The account's phone number that calls. Of an inbound call, the caller: an E.164 number, the digits as the carrier gave them, a SIP URI, or `anonymous`.
             * @example +15550001111
             */
            from_number: string;
            /**
             * @description Name of the agent, as it was when the call was created.
             * @example Receptionist
             */
            agent: string;
            /**
             * @description Seconds from the answer to the end, or so far. Null if the call was not answered.
             * @example 12
             */
            duration_seconds: number | null;
            /**
             * @description The same in minutes, with two decimals.
             * @example 0.2
             */
            duration_minutes: number | null;
            /**
             * @description Total cost in USD. Null if not completed.
             * @example 0.0042
             */
            cost: number | null;
            /**
             * @description The part of `cost` that real-time AI processing took, in USD. Null if not completed.
             * @example 0.0012
             */
            realtime_cost: number | null;
            /**
             * Format: date-time
             * @description When the first INVITE left. Null while the call waits in line.
             * @example 2026-01-02T03:04:05.678+00:00
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description Null if the call was not answered.
             * @example 2026-01-02T03:04:08.012+00:00
             */
            answered_at: string | null;
            /**
             * @description The answering party: `human`, `machine`, or `unknown` when it could not be detected. Null before the detection, if the call was not answered, and when the agent does not detect answering machines.
             * @example human
             * @enum {string|null}
             */
            answered_by: "human" | "machine" | "unknown" | null;
            /**
             * Format: date-time
             * @description Null while the call is still in progress.
             * @example 2026-01-02T03:04:20.345+00:00
             */
            ended_at: string | null;
            /**
             * Format: date-time
             * @description When the recording was deleted because the account keeps recordings for so many days only. Null: it was not.
             * @example null
             */
            recording_deleted_at: string | null;
            /**
             * Format: date-time
             * @description When the transcript was deleted (with summary, tool calls and keys pressed) because the account keeps it for so many days only. Null: it was not.
             * @example null
             */
            transcript_deleted_at: string | null;
            /**
             * @description Why the call ended. Null while it is in progress.
             * @example normal_clearing
             * @enum {string|null}
             */
            hangup_cause: "normal_clearing" | "user_busy" | "no_answer" | "call_rejected" | "cancelled" | "unallocated_number" | "number_changed" | "invalid_number_format" | "auth_failed" | "rejected_by_carrier" | "redirected" | "request_refused" | "incompatible_media" | "incompatible_address" | "service_unavailable" | "network_error" | "blocked_destination" | "spend_limit" | "concurrency_limit" | "originator_cancel" | "media_unavailable" | "agent_hangup" | "answering_machine" | "message_left" | "max_duration" | "media_timeout" | "media_address_refused" | "session_expired" | "transferred" | "agent_provider_error" | "drained" | "worker_lost" | "deactivated" | "queue_expired" | null;
            /**
             * @description `outbound`: placed by the agent; `inbound`: received on one of your numbers.
             * @example outbound
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * @description The agent.
             * @example 1
             */
            agent_id: number;
            /**
             * @description The phone number.
             * @example 1
             */
            number_id: number;
            /**
             * @description The SIP trunk; null: dialled directly.
             * @example null
             */
            trunk_id: number | null;
            /**
             * @description The `metadata` of the creation.
             * @example {
             *       "customer": "c-4711"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When the call was created.
             * @example 2026-01-02T03:04:05.432+00:00
             */
            created_at: string;
            /**
             * @description The SIP response that refused the call; null when it was answered, or when there was none.
             * @example null
             */
            sip_code: number | null;
            /**
             * @description The party that ended the call; `api`: it was cancelled. Null while it is in progress.
             * @example callee
             * @enum {string|null}
             */
            ended_by: "caller" | "callee" | "agent" | "carrier" | "system" | "api" | null;
            /** @description The transfers of the call, oldest first. */
            transfers: components["schemas"]["TransferDto"][];
            /**
             * Format: uri
             * @description The same as `recording.url`.
             * @example http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767931445&signature=Zm9v
             */
            recording_url: string | null;
            /** @description What was said, in order; its end is left out with `transcript_truncated: true` when the body would be over 256 KB. */
            transcript: components["schemas"]["TranscriptTurnDto"][];
            /**
             * Format: uri
             * @description Where the whole transcript is when its end was left out here (see `downloadTranscript`): a link without a token, which lives seven days. Null when `transcript` is whole.
             * @example null
             */
            transcript_url: string | null;
            /**
             * @description The conversation in short.
             * @example The caller asked for a date.
             */
            summary: string | null;
            /** @description The bill; empty unless the call was completed. */
            costs: components["schemas"]["CostLineDto"][];
            /** @description The recording; null when there is none to be expected. */
            recording: components["schemas"]["RecordingDto"] | null;
            /** @description How good the audio was; null when there was none. `GET /calls/{callId}/diagnostics` has more. */
            media_quality: components["schemas"]["MediaQualityDto"] | null;
            /**
             * @description Tools the agent invoked: `tool_call_id`, `name`, `arguments`, `result`, `ok`, `started_ms`, `ended_ms`; those of the account have `invocation_id` and `actions` as well (see `POST …/tools/{id}/invoke`). What searches found stands in `knowledge_searches`, here only how many passages it was. A body over 256 KB has them without arguments and results and says `tool_details_omitted: true`.
             * @example []
             */
            tool_calls: {
                [key: string]: unknown;
            }[];
            /** @description What the agent looked up in its knowledge bases. A body over 256 KB has the passages without their text and says `passages_omitted: true`. */
            knowledge_searches: components["schemas"]["KnowledgeSearchDto"][];
        };
        PostCallEventDto: {
            /**
             * Format: uuid
             * @description Id of the event, equal to the `webhook-id` header and the same on every try: deduplicate by it.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
             */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            created_at: string;
            /**
             * @description Counts the webhooks of a call: a lower number happened earlier, whatever arrives first.
             * @example 2
             */
            sequence: number;
            /**
             * @description Kind of webhook.
             * @example post-call
             * @enum {string}
             */
            type: "post-call";
            /**
             * @description What happened.
             * @example ended
             * @enum {string}
             */
            event: "ended";
            /** @description The whole call. */
            data: components["schemas"]["PostCallDataDto"];
        };
        ToolActionBodyDto: {
            /**
             * @description The tool that the agent invoked.
             * @example get_weather
             */
            tool: string;
            /**
             * @description What it was invoked with.
             * @example {
             *       "city": "Bonn"
             *     }
             */
            arguments: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The call; null outside of one.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11
             */
            call_id: string | null;
            /**
             * @description The agent.
             * @example 1
             */
            agent_id: number;
        };
        TestEventDataDto: {
            /**
             * @description A sentence.
             * @example This is a test of your webhook.
             */
            message: string;
            /**
             * @description The agent whose webhook is tested.
             * @example 1
             */
            agent_id: number | null;
        };
        TestEventDto: {
            /**
             * Format: uuid
             * @description Id of the event, equal to the `webhook-id` header and the same on every try: deduplicate by it.
             * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
             */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            created_at: string;
            /**
             * @description Counts the webhooks of a call: a lower number happened earlier, whatever arrives first.
             * @example 2
             */
            sequence: number;
            /**
             * @description Kind of webhook.
             * @example test
             * @enum {string}
             */
            type: "test";
            /**
             * @description What happened.
             * @example test
             * @enum {string}
             */
            event: "test";
            /** @description The message of the test. */
            data: components["schemas"]["TestEventDataDto"];
        };
        /** @description An event of a call. Types may be added: skip the unknown ones. */
        CallEvent: components["schemas"]["CallEventStatus"] | components["schemas"]["CallEventTurnStarted"] | components["schemas"]["CallEventTurn"] | components["schemas"]["CallEventSpeechStarted"] | components["schemas"]["CallEventSpeechStopped"] | components["schemas"]["CallEventInterrupted"] | components["schemas"]["CallEventDtmfReceived"] | components["schemas"]["CallEventDtmfInput"] | components["schemas"]["CallEventDtmfSent"] | components["schemas"]["CallEventIdlePrompt"] | components["schemas"]["CallEventTimeWarning"] | components["schemas"]["CallEventToolCall"] | components["schemas"]["CallEventTransfer"] | components["schemas"]["CallEventHold"] | components["schemas"]["CallEventResume"] | components["schemas"]["CallEventAnsweredBy"] | components["schemas"]["CallEventBeep"] | components["schemas"]["CallEventMessageStarted"] | components["schemas"]["CallEventHeaderDropped"] | components["schemas"]["CallEventProviderLost"] | components["schemas"]["CallEventProviderRestored"] | components["schemas"]["CallEventProviderRotated"] | components["schemas"]["CallEventError"] | components["schemas"]["CallEventEnded"];
        /** @description The new status of the call. The last event of a call is a `status` with `hangup_cause`. */
        CallEventStatus: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "status";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description The same as `status` of the call.
                 * @example completed
                 * @enum {string}
                 */
                status: "pending" | "ringing" | "in_progress" | "completed" | "failed" | "no_answer" | "busy" | "cancelled";
                /**
                 * @description Why the call ended; absent before.
                 * @example agent_hangup
                 */
                hangup_cause?: string | null;
                /**
                 * @description The party that ended the call; absent before.
                 * @example agent
                 */
                ended_by?: string | null;
            };
        };
        /** @description A party began to speak. The words follow in a `turn` with the same number. */
        CallEventTurnStarted: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "turn_started";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description Number of the turn in this call, from 1.
                 * @example 2
                 */
                turn: number;
                /**
                 * @description The speaker: `callee` on outbound calls, `caller` on inbound ones.
                 * @example agent
                 * @enum {string}
                 */
                role: "agent" | "callee" | "caller";
                /**
                 * @description Beginning, in milliseconds since the answer.
                 * @example 5980
                 */
                started_ms: number;
            };
        };
        /** @description A finished turn of the transcript. For the agent it is what was heard, not what was generated. */
        CallEventTurn: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "turn";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description Number of the turn in this call, from 1.
                 * @example 2
                 */
                turn: number;
                /**
                 * @description The speaker: `callee` on outbound calls, `caller` on inbound ones.
                 * @example agent
                 * @enum {string}
                 */
                role: "agent" | "callee" | "caller";
                /**
                 * @description The words; `[speech 1.6 s]` for speech that was not transcribed.
                 * @example Your parcel comes today.
                 */
                text: string;
                /**
                 * @description Beginning, in milliseconds since the answer.
                 * @example 5980
                 */
                started_ms: number;
                /**
                 * @description End, in milliseconds since the answer.
                 * @example 7860
                 */
                ended_ms: number;
                /**
                 * @description The agent had more to say and was interrupted.
                 * @example false
                 */
                truncated: boolean;
            };
        };
        /** @description The remote party began to speak. */
        CallEventSpeechStarted: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "speech_started";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
            };
        };
        /** @description The remote party stopped speaking. */
        CallEventSpeechStopped: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "speech_stopped";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description Duration of the speech.
                 * @example 1840
                 */
                duration_ms: number;
            };
        };
        /** @description The agent stopped in mid-sentence. */
        CallEventInterrupted: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "interrupted";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description Cause of the interruption: speech, a key, the provider, or an answering machine.
                 * @example speech
                 * @enum {string}
                 */
                by: "speech" | "dtmf" | "provider" | "machine";
                /**
                 * @description Audio of the turn that had been played.
                 * @example 1260
                 */
                played_ms: number;
            };
        };
        /** @description The remote party pressed a key. */
        CallEventDtmfReceived: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "dtmf_received";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description `0` to `9`, `*`, `#`, `A` to `D`.
                 * @example 4
                 */
                digit: string;
                /**
                 * @description How long.
                 * @example 120
                 */
                duration_ms: number;
            };
        };
        /** @description Keys that belong together, as the agent gets them: ended by `#` or by a pause. */
        CallEventDtmfInput: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "dtmf_input";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description The keys in order, without the `#` at the end.
                 * @example 4711
                 */
                digits: string;
            };
        };
        /** @description The agent sent keys to the remote party. */
        CallEventDtmfSent: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "dtmf_sent";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description The keys in order.
                 * @example 12#
                 */
                digits: string;
            };
        };
        /** @description After a silence the agent asks whether the user is still there. */
        CallEventIdlePrompt: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "idle_prompt";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description How often it has asked in this silence.
                 * @example 1
                 */
                count: number;
            };
        };
        /** @description The agent was informed that the longest duration of the call is near. */
        CallEventTimeWarning: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "time_warning";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description Remaining time.
                 * @example 30000
                 */
                remaining_ms: number;
            };
        };
        /** @description A tool of the agent has run, a search of its knowledge bases included. */
        CallEventToolCall: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "tool_call";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description The same as in `tool_calls` of the post-call webhook.
                 * @example call_Yx81
                 */
                tool_call_id: string;
                /**
                 * @description Name of the tool.
                 * @example order_status
                 */
                name: string;
                /**
                 * @description Arguments of the model.
                 * @example {
                 *       "order": "4711"
                 *     }
                 */
                arguments: unknown;
                /**
                 * @description The result; `{error: {code, message}}` of a failed call.
                 * @example {
                 *       "state": "sent"
                 *     }
                 */
                result: unknown;
                /**
                 * @description false: it failed.
                 * @example true
                 */
                ok: boolean;
                /**
                 * @description Beginning, in milliseconds since the answer.
                 * @example 5980
                 */
                started_ms: number;
                /**
                 * @description End, in milliseconds since the answer.
                 * @example 7860
                 */
                ended_ms: number;
                /**
                 * @description Names the invocation in `GET …/tool-calls`; absent for built-in tools.
                 * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33
                 */
                invocation_id?: string;
                /**
                 * @description The outcome of each action, as in `GET …/tool-calls`, without its response; absent for built-in tools.
                 * @example [
                 *       {
                 *         "name": "look_up",
                 *         "method": "POST",
                 *         "outcome": "succeeded",
                 *         "status": 200,
                 *         "latency_ms": 84,
                 *         "error": null
                 *       }
                 *     ]
                 */
                actions?: Record<string, never>[];
            };
        };
        /** @description The state of a transfer has changed. */
        CallEventTransfer: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transfer";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description The same as in `transfers` of the call.
                 * @example ringing
                 * @enum {string}
                 */
                status: "dialing" | "ringing" | "in_progress" | "completed" | "busy" | "no_answer" | "failed" | "cancelled";
                /**
                 * @description A second leg, or SIP REFER.
                 * @example bridge
                 * @enum {string}
                 */
                method: "bridge" | "refer";
                /**
                 * @description Why it ended; null while it lasts.
                 * @example user_busy
                 */
                hangup_cause: string | null;
                /**
                 * @description The SIP response that refused it.
                 * @example 486
                 */
                sip_code: number | null;
            };
        };
        /** @description The remote party put the call on hold. */
        CallEventHold: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hold";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
            };
        };
        /** @description The remote party resumed the call. */
        CallEventResume: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "resume";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
            };
        };
        /** @description The answering party was detected. `unknown` may be followed by `machine`. */
        CallEventAnsweredBy: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "answered_by";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description The answering party.
                 * @example human
                 * @enum {string}
                 */
                answered_by: "human" | "machine" | "unknown";
                /**
                 * @description Reason of the decision.
                 * @example short_greeting
                 */
                reason: string;
                /**
                 * @description Time of the decision, in milliseconds of audio since the answer.
                 * @example 1900
                 */
                ms: number;
            };
        };
        /** @description The beep of an answering machine was heard. */
        CallEventBeep: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "beep";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description One or two.
                 * @example [
                 *       1000
                 *     ]
                 */
                frequencies_hz: number[];
                /**
                 * @description How long it was.
                 * @example 480
                 */
                duration_ms: number;
            };
        };
        /** @description The agent leaves its message on an answering machine. */
        CallEventMessageStarted: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "message_started";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description The event that it waited for.
                 * @example beep
                 */
                after: string;
            };
        };
        /** @description A header that the trunk makes of the metadata could not be sent. */
        CallEventHeaderDropped: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "header_dropped";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description The header.
                 * @example X-Order
                 */
                header: string;
                /**
                 * @description The key of the metadata.
                 * @example order
                 */
                metadata_key: string;
                /**
                 * @description Why not.
                 * @example the value is empty
                 */
                reason: string;
            };
        };
        /** @description The connection to the voice provider broke; it is opened again. */
        CallEventProviderLost: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "provider_lost";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
            };
        };
        /** @description The connection to the voice provider is restored. */
        CallEventProviderRestored: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "provider_restored";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description Number of attempts.
                 * @example 1
                 */
                attempts: number;
            };
        };
        /** @description Between two turns a new connection to the voice provider took over from one that was to end. */
        CallEventProviderRotated: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "provider_rotated";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
            };
        };
        /** @description An error of the agent. The call may continue. */
        CallEventError: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "error";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description Code of the error.
                 * @example agent_provider_error
                 */
                code: string;
            };
        };
        /** @description The conversation with the agent is over. The end of the call follows as `status`. */
        CallEventEnded: {
            /**
             * @description Place in the call, the `id:` of the event. Grows, with gaps.
             * @example 7
             */
            seq: number;
            /**
             * @description Type of the event, the `event:`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "ended";
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-01-02T03:04:06.100+00:00
             */
            at: string;
            /** @description Fields of the type. */
            data: {
                /**
                 * @description When it happened, in milliseconds since the answer.
                 * @example 8120
                 */
                at_ms: number;
                /**
                 * @description The party that ended it.
                 * @example agent
                 * @enum {string}
                 */
                ended_by: "agent" | "callee" | "system";
                /**
                 * @description Why.
                 * @example agent_hangup
                 */
                cause: string;
            };
        };
        /** @description A conversation as a test tells it. */
        Scenario: {
            /**
             * @description A description for the report.
             * @default simulation
             */
            name?: string;
            /**
             * @description Who called.
             * @default inbound
             * @enum {string}
             */
            direction?: "inbound" | "outbound";
            /**
             * @description Like the metadata of a call.
             * @default null
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `mock`: the answers come from `mocks`. `live`: actions are really run. `record`: the same, and the answers are returned as `mocks`.
             * @default mock
             * @enum {string}
             */
            tools?: "mock" | "live" | "record";
            /** @description Answers by tool, in every mode. Each matching answer is given once, and the last one repeatedly. */
            mocks?: {
                [key: string]: components["schemas"]["ScenarioAnswer"] | components["schemas"]["ScenarioAnswer"][];
            };
            /**
             * @description Real time, not the time of the conversation, in which silence takes no time.
             * @default 60
             */
            max_seconds?: number;
            /** @description In order. A first step without input checks the greeting. */
            steps: components["schemas"]["ScenarioStep"][];
        };
        /** @description The answer of a mocked tool: `result`, or `error`. */
        ScenarioAnswer: {
            /** @description Only for calls with these arguments at least. */
            arguments?: {
                [key: string]: unknown;
            };
            /** @description The result of the tool. */
            result?: unknown;
            /** @description Or its error. */
            error?: {
                code: string;
                message: string;
            };
            /** @description The simulated duration of the call. */
            after_ms?: number;
        };
        /** @description The input of the caller, if any, and the expected reaction of the agent. */
        ScenarioStep: {
            /** @description A description for the report. */
            name?: string;
            /** @description What the caller says. */
            says?: string;
            /** @description Keys that the caller presses; without a `#` at the end they are read after a pause. */
            keys?: string | number;
            /** @description Seconds in which the caller is silent; the simulation skips them. */
            silence?: number;
            /** @description What the agent says in this step; all of them. */
            expects?: components["schemas"]["ScenarioExpectation"] | components["schemas"]["ScenarioExpectation"][];
            /** @description How soon the agent speaks. */
            within_ms?: number;
            /** @description Tools that the agent calls; all of them. */
            calls?: components["schemas"]["ScenarioToolCall"] | components["schemas"]["ScenarioToolCall"][];
            /** @description What must not happen. */
            absent?: {
                /** @description What the agent must not say. */
                says?: components["schemas"]["ScenarioExpectation"] | components["schemas"]["ScenarioExpectation"][];
                /** @description Tools that it must not call. */
                calls?: string | string[];
            };
            /** @description How the conversation ends with this step; `false`: it goes on. `hangup` and `transfer` are short for their causes. */
            ends?: boolean | ("agent_hangup" | "answering_machine" | "message_left" | "normal_clearing" | "max_duration" | "agent_provider_error" | "media_timeout" | "session_expired" | "transferred" | "cancelled" | "drained" | "hangup" | "transfer") | ("agent_hangup" | "answering_machine" | "message_left" | "normal_clearing" | "max_duration" | "agent_provider_error" | "media_timeout" | "session_expired" | "transferred" | "cancelled" | "drained" | "hangup" | "transfer")[];
        };
        /** @description What the agent says. A text alone is short for `{contains: …}`. */
        ScenarioExpectation: (string | {
            /** @description The agent says this, in either case. */
            contains: string;
        } | {
            /** @description A pattern (RE2) that is found in what the agent says. */
            matches: string;
        }) | {
            /** @description One of them is enough. */
            any_of: (string | {
                /** @description The agent says this, in either case. */
                contains: string;
            } | {
                /** @description A pattern (RE2) that is found in what the agent says. */
                matches: string;
            })[];
        };
        /** @description A tool that the agent calls. A name alone is short for `{tool: …}`. */
        ScenarioToolCall: string | {
            /** @description Its name. */
            tool: string;
            /** @description These at least, with these values. */
            arguments?: {
                [key: string]: unknown;
            };
            /** @description Whether it succeeds. */
            ok?: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Names of body fields and query parameters that were ignored because the service does not know them, with their path, percent-encoded: `recrod, webhook_actions.0.foo`. At most 20, then `...`. Absent when there are none. */
        IgnoredFields: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listCalls: {
        parameters: {
            query?: {
                /** @description Calls of this agent. */
                agent_id?: number;
                /** @description Calls from this phone number. */
                number_id?: number;
                /** @description Calls in this state; `in-progress`, `no-answer` and `cancelled` may be spelt either way. */
                status?: "pending" | "ringing" | "in-progress" | "in_progress" | "completed" | "failed" | "busy" | "no-answer" | "no_answer" | "cancelled" | "canceled";
                /** @description Calls in this direction. */
                direction?: "inbound" | "outbound";
                /** @description Calls created at this time or later: ISO 8601, a date (UTC) or a time with `Z` or an offset. */
                date_from?: string;
                /** @description Calls created at this time or earlier; a date covers its whole day (UTC). */
                date_to?: string;
                /** @description A whole call id, a whole number (`+` and at least 11 digits, matched exactly), or any part of a number or SIP URI, on either side of the call. */
                search?: string;
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
                /** @description `cursor` begins a list that is followed by `links.next`: equally fast at any depth, stable while calls are added, without totals. */
                pagination?: "page" | "cursor";
                /** @description Where a list by cursor goes on: `meta.next_cursor` or `meta.prev_cursor` of the answer before. `page` is ignored. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of calls. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    createCalls: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gets the first answer again (with `Idempotent-Replayed: true`) and places no call; with another body it is 409. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCallsDto"];
            };
        };
        responses: {
            /** @description The calls wait to be dialled. */
            201: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallCreatedDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "This Idempotency-Key was used with another request body."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundCallDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    deleteCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call is gone. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallDeletedDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "An active call cannot be deleted. Wait for it to complete or fail, or cancel it."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    cancelCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancellation is under way, or done. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallWithMessageDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The call has already ended and cannot be cancelled."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    watchCall: {
        parameters: {
            query?: {
                /** @description Only what came after the event with this number; `Last-Event-ID` counts more. */
                after?: number;
                /** @description Events looked at for one page of JSON; a stream has no pages. */
                per_page?: number;
            };
            header?: {
                /** @description Number of the last event that you have: what came after it is sent. */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 2000
                     *
                     *     id: 3
                     *     event: status
                     *     data: {"seq":3,"type":"status","at":"2026-01-02T03:04:06.100+00:00","data":{"status":"in_progress"}}
                     *
                     *     id: 5
                     *     event: turn
                     *     data: {"seq":5,"type":"turn","at":"2026-01-02T03:04:08.000+00:00","data":{"at_ms":1900,"turn":1,"role":"agent","text":"Hello.","started_ms":20,"ended_ms":1880,"truncated":false}}
                     */
                    "text/event-stream": string;
                    "application/json": components["schemas"]["CallEventPageDto"];
                };
            };
            /** @description The call is over, and the stream would have nothing more to send. */
            204: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ValidationErrorDto"];
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /**
             * @description Too many requests; `Retry-After` says when to try again.
             *
             *     Too many requests; `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getCallTranscript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transcript. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundTranscriptDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getCallDiagnostics: {
        parameters: {
            query?: {
                /** @description `text` returns a ladder diagram; without it `Accept` decides. */
                format?: "json" | "text";
            };
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signalling and audio of the call; empty ladders when it was not dialled. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundDiagnosticsDto"];
                    /**
                     * @example Call 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11: completed, agent_hangup
                     *     2026-01-02T03:04:05.678+00:00, times in seconds since then
                     *
                     *     Leg 1, outbound, UDP
                     *                192.0.2.1:5060                                  198.51.100.7:5060
                     *                       |                                                |
                     *         0.000         |-- INVITE sip:+15550002222@198.51.100.7 [SDP] ->|
                     *         0.021         |<- 180 Ringing (INVITE) ------------------------|
                     */
                    "text/plain": string;
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "text/plain": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "text/plain": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "text/plain": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                    "text/plain": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "text/plain": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    downloadCallSignalling: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The capture. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.tcpdump.pcap": Blob;
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/vnd.tcpdump.pcap": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/vnd.tcpdump.pcap": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/vnd.tcpdump.pcap": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/vnd.tcpdump.pcap": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    downloadRecording: {
        parameters: {
            query: {
                /** @description Proof that the service made the link. */
                signature: string;
                /** @description When the link dies, in Unix seconds. */
                expires: number;
            };
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": Blob;
                };
            };
            /** @description The bytes that were asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": Blob;
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "audio/wav": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The range lies outside the recording. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "audio/wav": components["schemas"]["ErrorDto"];
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    downloadTranscript: {
        parameters: {
            query: {
                /** @description Proof that the service made the link. */
                signature: string;
                /** @description When the link dies, in Unix seconds. */
                expires: number;
            };
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transcript. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundTranscriptDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    searchKnowledgeBases: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchDto"];
            };
        };
        responses: {
            /** @description The passages. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundPassagesDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listKnowledgeBases: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
                /** @description Those in this state. */
                status?: "pending" | "processing" | "completed" | "failed";
                /** @description Those made from this. */
                source_type?: "text" | "file" | "url";
                /** @description Those with this in their title, in either case. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of knowledge bases. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeBaseListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    createKnowledgeBase: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repetition safe for 24 hours: the same key with the same body (of a file: its name and content) gets the first answer again (with `Idempotent-Replayed: true`) and makes nothing; with another body it is 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKnowledgeBaseDto"];
                "multipart/form-data": components["schemas"]["UploadKnowledgeBaseDto"];
            };
        };
        responses: {
            /** @description The knowledge base was created. */
            201: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeBaseWithMessageDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "This Idempotency-Key was used with another request body."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /**
             * @description Too many requests; `Retry-After` says when to try again.
             *
             *     Too many requests; `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the knowledge base. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The knowledge base. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundKnowledgeBaseDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    updateKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the knowledge base. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateKnowledgeBaseDto"];
            };
        };
        responses: {
            /** @description The knowledge base was changed. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeBaseWithMessageDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The knowledge base was changed meanwhile. Try again."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    deleteKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the knowledge base. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The knowledge base is gone. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeBaseDeletedDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    patchKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the knowledge base. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateKnowledgeBaseDto"];
            };
        };
        responses: {
            /** @description The knowledge base was changed. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeBaseWithMessageDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The knowledge base was changed meanwhile. Try again."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    reprocessKnowledgeBase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the knowledge base. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It waits, or (a text) is done. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeBaseWithMessageDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope knowledge:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The knowledge base is being processed. Wait until it is completed or failed."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
                /** @description Those that the agent may use, or may not. */
                status?: "active" | "inactive";
                /** @description Those with this in their name, in either case. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tools. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    createTool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gets the first answer again (with `Idempotent-Replayed: true`) and makes nothing; with another body it is 409. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateToolDto"];
            };
        };
        responses: {
            /** @description The tool was created. */
            201: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolWithMessageDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "This Idempotency-Key was used with another request body."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the tool. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundToolDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    updateTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the tool. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateToolDto"];
            };
        };
        responses: {
            /** @description The tool was changed. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolWithMessageDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    deleteTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the tool. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool is gone. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDeletedDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    patchTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the tool. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateToolDto"];
            };
        };
        responses: {
            /** @description The tool was changed. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolWithMessageDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    invokeTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the tool. */
                id: number;
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvokeToolDto"];
            };
        };
        responses: {
            /** @description What the actions came to. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvokedToolDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /**
             * @description Too many requests; `Retry-After` says when to try again.
             *
             *     Too many requests; `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listToolCalls: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `call_id` of the call. */
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool calls; empty when there were none. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listToolInvocations: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
                /** @description `cursor` begins a list that is followed by `links.next`: equally fast at any depth, stable while calls are added, without totals. */
                pagination?: "page" | "cursor";
                /** @description Where a list by cursor goes on: `meta.next_cursor` or `meta.prev_cursor` of the answer before. `page` is ignored. */
                cursor?: string;
                /** @description Invocations of this call. */
                call_id?: string;
                /** @description Invocations of this tool. */
                tool_id?: number;
                /** @description Invocations in this state. */
                state?: "running" | "succeeded" | "failed";
                /** @description Invocations at this time or later: ISO 8601, a date (UTC) or a time with `Z` or an offset. */
                date_from?: string;
                /** @description Invocations at this time or earlier; a date covers its whole day (UTC). */
                date_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invocations. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvocationListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getToolInvocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `invocation_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invocation. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundInvocationDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tools:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    simulateCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent, whether it is active or not. */
                agent_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Scenario"];
            };
        };
        responses: {
            /** @description How it went. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimulatedDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope calls:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /**
             * @description Too many requests; `Retry-After` says when to try again.
             *
             *     Too many requests; `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope agents:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listNumbers: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of phone numbers. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NumberListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope numbers:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listTrunks: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of trunks. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrunkListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope trunks:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getTrunk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the trunk. */
                trunkId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trunk. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundTrunkDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope trunks:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
                /** @description What was done, such as `tool.created` or `token.revoked`. */
                action?: string;
                /** @description Who did it: `token`, `cli` or `system`, or one of them with its id, such as `token:12`. */
                actor?: string;
                /** @description What it was done to: a kind such as `tool`, or one of the kind with its id, such as `tool:7`. */
                subject?: string;
                /** @description Events at this time or later: ISO 8601, a date (UTC) or a time with `Z` or an offset. */
                date_from?: string;
                /** @description Events at this time or earlier; a date covers its whole day (UTC). */
                date_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of audit events. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope audit:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tokens. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tokens:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTokenDto"];
            };
        };
        responses: {
            /** @description The token, shown this once. */
            201: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenIssuedDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tokens:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "This Idempotency-Key was used with another request body."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    rotateToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the token. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateTokenDto"];
            };
        };
        responses: {
            /** @description The new token, shown this once. */
            201: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenIssuedDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tokens:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the token. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token has ended. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRevokedDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope tokens:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthDto"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They may. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthDto"];
                };
            };
            /** @description Not now; `reasons` says why. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthDto"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
                /** @description `cursor` begins a list that is followed by `links.next`: equally fast at any depth, stable while calls are added, without totals. */
                pagination?: "page" | "cursor";
                /** @description Where a list by cursor goes on: `meta.next_cursor` or `meta.prev_cursor` of the answer before. `page` is ignored. */
                cursor?: string;
                /** @description Deliveries of this call. */
                call_id?: string;
                /** @description Deliveries of this type. */
                type?: "call-status" | "post-call" | "tool-action" | "test";
                /** @description Deliveries of this event. */
                event?: "initiated" | "ringing" | "in-progress" | "completed" | "failed" | "busy" | "no-answer" | "cancelled" | "ended" | "invoked" | "test";
                /** @description Deliveries to this URL; queries are not compared. Together with `call_id`, or a `state` other than `delivered`. */
                url?: string;
                /** @description Deliveries in this state. */
                state?: "pending" | "slow" | "delivered" | "dead" | "refused";
                /** @description What happened at this time or later: ISO 8601, a date (UTC) or a time with `Z` or an offset. */
                date_from?: string;
                /** @description What happened at this time or earlier; a date covers its whole day (UTC). */
                date_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    replayWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayDeliveriesDto"];
            };
        };
        responses: {
            /** @description The webhooks will be sent again. */
            202: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RangeReplayedDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `webhook-id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundDeliveryDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `webhook-id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook will be sent again. */
            202: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithMessageDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The endpoint of the delivery is disabled. Enable it first."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Records per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
                /** @description Endpoints in this state. */
                state?: "active" | "disabled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    enableWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the endpoint. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is enabled, also when it was enabled before. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointWithMessageDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    listWebhookSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secrets. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecretListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:read."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateSecretDto"];
            };
        };
        responses: {
            /** @description The new secret. */
            201: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecretDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    expireWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of the secret. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret signs no more webhooks. */
            200: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretExpiredDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The account has no such record, or the id is malformed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Call not found."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The state of the record, or another request with the same Idempotency-Key, forbids it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The newest secret signs all webhooks. Rotate it first."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestWebhookDto"];
            };
        };
        responses: {
            /** @description The test webhook will be sent. */
            202: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithMessageDto"];
                };
            };
            /** @description The body is not a JSON object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body is not valid JSON."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unauthenticated. The token is unknown, expired or revoked. Send the header \"Authorization: Bearer <token>\" with a token of your account."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The token lacks the scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The token lacks the scope webhooks:write."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is larger than this route takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must not be larger than 256 KB."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description The body is not of a type that this route takes. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "The request body must be application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
            /** @description Some fields are wrong. */
            422: {
                headers: {
                    "Trunkline-Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` says when to try again. */
            429: {
                headers: {
                    /** @description Seconds until the next request may succeed. */
                    "Retry-After"?: number;
                    /** @description How many there may be. */
                    "X-RateLimit-Limit"?: number;
                    /** @description How many are left. */
                    "X-RateLimit-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Too many requests. The Retry-After header says when to go on."
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorDto"];
                };
            };
        };
    };
    onCallStatus: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on every attempt.
                 * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
                 */
                "webhook-id": string;
                /**
                 * @description Time of this attempt in Unix seconds; reject a time that is minutes off.
                 * @example 1767323046
                 */
                "webhook-timestamp": string;
                /**
                 * @description Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`; two, separated by a space, while a secret is rotated.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description Number of this attempt, from 1.
                 * @example 1
                 */
                "webhook-attempt": string;
                /**
                 * @description The `sequence` of the body.
                 * @example 2
                 */
                "webhook-sequence": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A call changed its state */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallStatusEventDto"];
            };
        };
        responses: {
            /** @description The endpoint is gone: nothing is sent to this URL again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Any other answer is retried: five attempts within a minute, then eight over three days. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPostCall: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on every attempt.
                 * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
                 */
                "webhook-id": string;
                /**
                 * @description Time of this attempt in Unix seconds; reject a time that is minutes off.
                 * @example 1767323046
                 */
                "webhook-timestamp": string;
                /**
                 * @description Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`; two, separated by a space, while a secret is rotated.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description Number of this attempt, from 1.
                 * @example 1
                 */
                "webhook-attempt": string;
                /**
                 * @description The `sequence` of the body.
                 * @example 2
                 */
                "webhook-sequence": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A call has ended */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PostCallEventDto"];
            };
        };
        responses: {
            /** @description The endpoint is gone: nothing is sent to this URL again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Any other answer is retried: five attempts within a minute, then eight over three days. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on every attempt.
                 * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
                 */
                "webhook-id": string;
                /**
                 * @description Time of this attempt in Unix seconds; reject a time that is minutes off.
                 * @example 1767323046
                 */
                "webhook-timestamp": string;
                /**
                 * @description Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`; two, separated by a space, while a secret is rotated.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description Number of this attempt, from 1.
                 * @example 1
                 */
                "webhook-attempt": string;
                /**
                 * @description The `sequence` of the body.
                 * @example 2
                 */
                "webhook-sequence": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A test of a webhook */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestEventDto"];
            };
        };
        responses: {
            /** @description Received. A test is never retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onToolAction: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the event, the same on every attempt.
                 * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
                 */
                "webhook-id": string;
                /**
                 * @description Time of this attempt in Unix seconds; reject a time that is minutes off.
                 * @example 1767323046
                 */
                "webhook-timestamp": string;
                /**
                 * @description Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`; two, separated by a space, while a secret is rotated.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
                /**
                 * @description The same as `webhook-id`.
                 * @example 019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22
                 */
                "idempotency-key": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description An agent invoked a tool */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolActionBodyDto"];
            };
        };
        responses: {
            /** @description With `wait_response` the agent gets this answer: JSON, or text. Otherwise it means received, and any other answer is retried. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
