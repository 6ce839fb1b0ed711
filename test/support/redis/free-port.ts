import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export async function freePort(): Promise<number> {
  return (await tryPort(0)) as number;
}

/** Redis nodes of a cluster also listen 10,000 ports higher, for each other. */
export async function freeClusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + 10_000 < 65_536 && (await tryPort(port + 10_000))) return port;
  }
}

async function tryPort(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
