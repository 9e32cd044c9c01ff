import { expect, it } from '@jest/globals';
import { UdpTransport } from './udp-transport.js';

const LOOPBACK = { bind: '127.0.0.1', port: 0 };
const fail = (error: Error): never => {
  throw error;
};

it('sends the datagrams of one turn in their order, also when the socket closes in that turn', async () => {
  const received: string[] = [];
  let onThird: () => void;
  const third = new Promise<void>((resolve) => (onThird = resolve));
  const receiver = await UdpTransport.bind(
    LOOPBACK,
    (data) => {
      if (received.push(data.toString()) === 3) onThird();
    },
    fail,
  );
  const sender = await UdpTransport.bind(LOOPBACK, fail as never, fail);
  for (const text of ['INVITE', 'ACK', 'BYE']) sender.send(Buffer.from(text), '127.0.0.1', receiver.port, fail);
  await sender.close();
  await third;
  expect(received).toEqual(['INVITE', 'ACK', 'BYE']);
  await receiver.close();
});

it('reports to the sender of a datagram that it could not be sent', async () => {
  const transport = await UdpTransport.bind(LOOPBACK, fail as never, fail);
  const problem = await new Promise<Error>((resolve) => {
    transport.send(Buffer.alloc(70_000), '127.0.0.1', 9, resolve);
  });
  expect(problem.message).toContain('EMSGSIZE');
  await transport.close();
  const afterwards = await new Promise<Error>((resolve) => transport.send(Buffer.alloc(1), '127.0.0.1', 9, resolve));
  expect(afterwards.message).toBe('the UDP socket is closed');
});
