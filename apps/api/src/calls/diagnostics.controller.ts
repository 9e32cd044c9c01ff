import { CallDiagnosticsService, diagnosticsView, ladderText } from '@app/calls';
import type { Env } from '@app/common';
import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiProduces, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl } from '../http/pagination.js';
import { ApiCallId, CallIdPipe } from './call-params.js';
import { DIAGNOSTICS_TEXT, DiagnosticsQueryDto, FoundDiagnosticsDto } from './diagnostics.dto.js';

const PCAP = 'application/vnd.tcpdump.pcap';
/** The evidence for support of a call that went wrong. */
@ApiTags('Calls')
@ApiExtraModels(FoundDiagnosticsDto)
@Controller('api/v1/calls/:callId/diagnostics')
export class DiagnosticsController {
  constructor(
    private readonly diagnostics: CallDiagnosticsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'getCallDiagnostics',
    summary: 'Read what happened on the wire',
    description:
      'The SIP messages of each leg in order, and the RTP statistics once the leg has ended; complete about a second after the end of the call. Digest proofs, SRTP keys, passwords and keyed digits are starred out. At most 200 messages and 256 KB of a call are kept, for 30 days; `DELETE /calls/{callId}` removes them at once. `format=text`, or `Accept: text/plain`, draws the ladder for people.',
  })
  @ApiCallId()
  @ApiProduces('application/json', 'text/plain')
  @ApiResponse({
    status: 200,
    description: 'Signalling and audio of the call; empty ladders when it was not dialled.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(FoundDiagnosticsDto) } },
      'text/plain': { schema: { type: 'string' }, example: DIAGNOSTICS_TEXT },
    },
  })
  @ApiErrors(404, 422)
  async find(
    @AccountId() accountId: number,
    @Param('callId', CallIdPipe) callId: string,
    @Query() { format }: DiagnosticsQueryDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const diagnostics = await this.diagnostics.find(accountId, callId);
    const { path } = new ListUrl(request, this.env.PUBLIC_URL);
    const view = diagnosticsView(diagnostics, `${path}/sip.pcap`);
    response.vary('Accept');
    if ((format ?? request.accepts('json', 'text')) !== 'text') return { data: view };
    response.type('text/plain');
    return ladderText(diagnostics.call, view);
  }

  @Get('sip.pcap')
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'downloadCallSignalling',
    summary: 'Download the signalling as a PCAP',
    description:
      'For Wireshark, sngrep and tcpdump. Each message is one UDP datagram, also those of TCP and TLS (their Via says so), with the true addresses, times and bytes but for the secrets. An empty capture when the call was not dialled.',
  })
  @ApiCallId()
  @ApiProduces(PCAP, 'application/json')
  @ApiResponse({
    status: 200,
    description: 'The capture.',
    content: { [PCAP]: { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors(404)
  async download(
    @AccountId() accountId: number,
    @Param('callId', CallIdPipe) callId: string,
    @Res() response: Response,
  ): Promise<void> {
    const capture = await this.diagnostics.pcap(accountId, callId);
    response.set({
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="${callId}.pcap"`,
      'Content-Type': PCAP,
      'Content-Length': String(capture.length),
    });
    response.end(capture);
  }
}
