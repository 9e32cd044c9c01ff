import { CallDiagnosticsService, diagnosticsView, ladderText } from '@app/calls';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiProduces, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ListUrl } from '../http/responses/pagination.js';
import { ApiCallId, CallId } from '../http/validation/path-params.js';
import { DIAGNOSTICS_TEXT, DiagnosticsQueryDto, FoundDiagnosticsDto } from './diagnostics.dto.js';

const PCAP = 'application/vnd.tcpdump.pcap';
/** The signalling and audio statistics of a call. */
@ApiTags('Call results')
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
    summary: 'Retrieve call diagnostics',
    description:
      'Returns the SIP messages of each leg in order, and its RTP statistics after the leg has ended. The data is complete about one second after the end of the call. Digest responses, SRTP keys, passwords and DTMF digits are masked; tags and branches as well while the call is in progress, unless the token has the scope `calls:write`. At most 200 messages and 256 KB per call are kept for 30 days; `DELETE /calls/{callId}` deletes them immediately. `format=text` or `Accept: text/plain` returns a ladder diagram.',
  })
  @ApiCallId()
  @ApiProduces('application/json', 'text/plain')
  @ApiResponse({
    status: 200,
    description: 'Signalling and audio statistics of the call. Empty if it was not dialled.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(FoundDiagnosticsDto) } },
      'text/plain': { schema: { type: 'string' }, example: DIAGNOSTICS_TEXT },
    },
  })
  @ApiErrors(404, 422)
  async find(
    @AccountId() accountId: number,
    @CallId() callId: string,
    @Query() { format }: DiagnosticsQueryDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const diagnostics = await this.diagnostics.find(accountId, callId, readerOf(request));
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
      'Returns a capture for Wireshark, sngrep and tcpdump. Each message is one UDP datagram, including messages sent over TCP and TLS (see Via). Addresses, times and bytes are original except for masked values, which are those of `getCallDiagnostics`. The capture is empty if the call was not dialled.',
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
    @CallId() callId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const capture = await this.diagnostics.pcap(accountId, callId, readerOf(request));
    response.set({
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="${callId}.pcap"`,
      'Content-Type': PCAP,
      'Content-Length': String(capture.length),
    });
    response.end(capture);
  }
}

const readerOf = ({ user }: Request) => ({ mayCommand: user?.scopes.includes('calls:write') ?? false });
