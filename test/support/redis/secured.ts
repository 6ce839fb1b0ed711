import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDebianPackage } from '../debian-package.js';
import { freePort } from './free-port.js';
import { type RedisConnection, RedisServer } from './redis-server.js';

/** A server that speaks TLS alone. `server.connection` trusts its certificate. */
export async function startTls(): Promise<RedisServer> {
  const { key, certificate } = selfSigned();
  const port = await freePort();
  return RedisServer.start({
    port,
    files: { 'key.pem': key, 'certificate.pem': certificate },
    args: [
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', 'certificate.pem', '--tls-key-file', 'key.pem'],
      ...['--tls-ca-cert-file', 'certificate.pem'],
    ],
    connection: { tls: { ca: certificate } },
  });
}

/** Rights of users by their names, such as `'~* &* +@all -@pubsub'`. */
export type RedisRights = Readonly<Record<string, string>>;

export interface RedisWithUsers {
  /** Its own clients may do everything. */
  readonly server: RedisServer;
  /** What a client of ioredis needs to be this user. */
  as(user: string): RedisConnection;
  urlFor(user: string): string;
  stop(): Promise<void>;
}

/** A server with users of limited rights, which stay over restarts. */
export async function startWithUsers(rights: RedisRights): Promise<RedisWithUsers> {
  const lines = Object.entries(rights).map(
    ([user, rules]) => `user ${user} on >${passwordOf(user)} ${rules}`,
  );
  const server = await RedisServer.start({ files: { 'redis.conf': `${lines.join('\n')}\n` } });
  return {
    server,
    as: (user) => ({ ...server.connection, username: user, password: passwordOf(user) }),
    urlFor: (user) => `redis://${user}:${passwordOf(user)}@127.0.0.1:${server.port}`,
    stop: () => server.stop(),
  };
}

function passwordOf(user: string): string {
  return `${user}-password`;
}

function selfSigned(): { readonly key: string; readonly certificate: string } {
  ensureDebianPackage('openssl', 'openssl');
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const made = spawnSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'],
        ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
        ...['-keyout', 'key.pem', '-out', 'certificate.pem'],
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.stderr}`);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { key: read('key.pem'), certificate: read('certificate.pem') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
