import { existsSync } from 'node:fs';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../support/deferred.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { RedisCluster } from '../support/redis/cluster.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { startTls, startWithUsers } from '../support/redis/secured.js';
import { type RedisSentinel, startSentinel } from '../support/redis/sentinel.js';

describe('RedisServer', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  it('answers, and comes back empty on the same port after a crash', async () => {
    const client = server.client();
    await client.set('a', '1');
    expect(await client.get('a')).toBe('1');
    await server.kill();
    expect(server.alive).toBe(false);
    await errorOf(server.command('PING'));
    await server.restart();
    expect(await server.command('GET', 'a')).toBeNull();
  });

  it('keeps its data over a restart when asked to, and takes other arguments', async () => {
    await server.command('SET', 'b', '2');
    await server.restart({ keepData: true, args: ['--maxmemory', '3mb'] });
    expect(await server.command('GET', 'b')).toBe('2');
    expect(await server.command('CONFIG', 'GET', 'maxmemory')).toEqual(['maxmemory', '3145728']);
  });

  it('hangs while it is paused', async () => {
    const client = server.client();
    await client.ping();
    server.pause();
    let answered = false;
    const ping = client.ping().then(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    server.resume();
    await ping;
  });

  it('removes its folder when it stops', async () => {
    const other = await RedisServer.start();
    await other.stop();
    expect(other.alive).toBe(false);
    expect(existsSync(other.folder)).toBe(false);
  });

  it('says why it did not start', async () => {
    await expect(RedisServer.start({ args: ['--no-such-option', 'x'] })).rejects.toThrow('ended at once');
  });
});

describe('FaultProxy', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  async function proxied() {
    const proxy = await FaultProxy.start(server.port);
    const client = new Redis({
      port: proxy.port,
      commandTimeout: 200,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 20,
    });
    client.on('error', () => {});
    onTestFinished(async () => {
      client.disconnect();
      await proxy.close();
    });
    await client.ping();
    return { proxy, client };
  }

  it('passes, late where told', async () => {
    const { proxy, client } = await proxied();
    proxy.latency = 40;
    const start = performance.now();
    expect(await client.ping()).toBe('PONG');
    expect(performance.now() - start).toBeGreaterThanOrEqual(79);
  });

  it('hangs, and heals', async () => {
    const { proxy, client } = await proxied();
    proxy.mode = 'hang';
    expect(String(await errorOf(client.set('hung', '1')))).toContain('timed out');
    proxy.heal();
    await expect.poll(() => client.ping().catch(() => ''), { timeout: 2_000 }).toBe('PONG');
    expect(await server.command('GET', 'hung')).toBeNull();
  });

  it('loses answers of requests that arrive', async () => {
    const { proxy, client } = await proxied();
    proxy.mode = 'drop-answers';
    await errorOf(client.set('arrived', '1'));
    expect(await server.command('GET', 'arrived')).toBe('1');
  });

  it('cuts and resets connections', async () => {
    const { proxy, client } = await proxied();
    expect(proxy.connections).toBe(1);
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    proxy.cut();
    await closed;
    await expect.poll(() => client.ping().catch(() => ''), { timeout: 2_000 }).toBe('PONG');
    proxy.mode = 'reset';
    await errorOf(client.ping());
    expect(await server.command('PING')).toBe('PONG');
  });

  it('refuses new connections alone', async () => {
    const { proxy, client } = await proxied();
    proxy.mode = 'refuse';
    expect(await client.ping()).toBe('PONG');
    const late = new Redis({ port: proxy.port, retryStrategy: () => null, lazyConnect: true });
    late.on('error', () => {});
    await errorOf(late.connect());
  });
});

describe('startSentinel', () => {
  let sentinel: RedisSentinel;
  beforeAll(async () => {
    sentinel = await startSentinel();
  });
  afterAll(() => sentinel.stop());

  it('fails over when the master dies, and takes it back as a replica', async () => {
    const client = new Redis(sentinel.connection);
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    await client.set('a', '1');
    expect(await client.wait(2, 1_000)).toBe(2);
    const old = await sentinel.master();
    await old.kill();
    const heir = await sentinel.failedOver(old);
    expect(heir).not.toBe(old);
    await expect.poll(() => client.set('b', '2').catch(String), { timeout: 5_000 }).toBe('OK');
    expect(await heir.command('MGET', 'a', 'b')).toEqual(['1', '2']);
    await old.restart();
    await expect.poll(() => old.command('GET', 'b'), { timeout: 15_000 }).toBe('2');
  });
});

describe('RedisCluster', () => {
  let cluster: RedisCluster;
  let client: Cluster;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
    client = new Cluster(cluster.nodes);
    client.on('error', () => {});
  });
  afterAll(async () => {
    client.disconnect();
    await cluster.stop();
  });

  it('serves keys from different masters', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => client.set(key, key)));
    const masters = await Promise.all(['a', 'b', 'c', 'd'].map((key) => cluster.masterOf(key)));
    expect(new Set(masters).size).toBeGreaterThan(1);
  });

  it('moves a slot, with its keys', async () => {
    await client.set('{moved}:a', '1');
    const old = await cluster.masterOf('{moved}:a');
    const heir = await cluster.migrateSlotOf('{moved}:a', async () => {
      expect(await client.get('{moved}:a')).toBe('1');
      expect(String(await errorOf(old.command('GET', '{moved}:b')))).toContain('ASK');
      await client.set('{moved}:b', '2');
    });
    expect(heir).not.toBe(old);
    expect(await cluster.masterOf('{moved}:a')).toBe(heir);
    expect(await heir.command('MGET', '{moved}:a', '{moved}:b')).toEqual(['1', '2']);
    expect(await client.get('{moved}:b')).toBe('2');
  });

  it('fails over when the master of a key dies, and takes it back', async () => {
    await client.set('failing', '1');
    const old = await cluster.killMasterOf('failing');
    const heir = await cluster.failedOver('failing', old);
    expect(await heir.command('GET', 'failing')).toBe('1');
    await expect.poll(() => client.set('failing', '2').catch(String), { timeout: 5_000 }).toBe('OK');
    await old.restart();
    await cluster.settled();
    expect(await cluster.masterOf('failing')).toBe(heir);
  });
});

describe('secured servers', () => {
  it('speak TLS, and nothing else', async () => {
    const server = await startTls();
    onTestFinished(() => server.stop());
    expect(server.url).toMatch(/^rediss:/);
    expect(await server.command('SET', 'a', '1')).toBe('OK');
    const plain = new Redis({ port: server.port, retryStrategy: () => null, lazyConnect: true });
    plain.on('error', () => {});
    await errorOf(plain.connect());
  });

  it('have users who may not do everything', async () => {
    const secured = await startWithUsers({
      silent: '~* +@all -@pubsub',
      least: 'resetchannels ~lock:* -@all +ping +set +info',
    });
    onTestFinished(() => secured.stop());
    const silent = new Redis(secured.urlFor('silent'));
    const least = new Redis(secured.as('least'));
    onTestFinished(() => {
      silent.disconnect();
      least.disconnect();
    });
    expect(await silent.set('a', '1')).toBe('OK');
    expect(String(await errorOf(silent.publish('a', '1')))).toContain('NOPERM');
    expect(await least.set('lock:a', '1')).toBe('OK');
    expect(String(await errorOf(least.set('a', '1')))).toContain('NOPERM');
    expect(String(await errorOf(least.get('lock:a')))).toContain('NOPERM');
  });
});
