import { Inject, Injectable } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { DistributedLock } from '../../lib/index.js';
import { bootWith, type LockedApp } from '../support/boot-app.js';

abstract class Base {
  runs = 0;

  @DistributedLock({ key: 'base:{id}' })
  async ship(id: string): Promise<string> {
    this.runs += 1;
    return `base ${id}`;
  }

  @DistributedLock()
  async sweep(): Promise<string> {
    return this.constructor.name;
  }
}

@Injectable()
class Plain extends Base {}

@Injectable()
class Own extends Base {
  @Inject('CARRIER') readonly carrier!: string;

  @DistributedLock({ key: 'own:{id}' })
  async book(id: string): Promise<string> {
    return `${this.carrier} ${id}`;
  }
}

@Injectable()
class Undecorated extends Base {
  override async ship(id: string): Promise<string> {
    return `mine ${id}`;
  }
}

@Injectable()
class CallingSuper extends Base {
  override async ship(id: string): Promise<string> {
    return `mine, then ${await super.ship(id)}`;
  }
}

@Injectable()
class Redecorated extends Base {
  @DistributedLock({ key: 'derived:{id}' })
  override async ship(id: string): Promise<string> {
    return `locked, then ${await super.ship(id)}`;
  }
}

@Injectable()
class SameKey extends Base {
  @DistributedLock({ key: 'base:{number}' })
  override async ship(number: string): Promise<string> {
    return `locked, then ${await super.ship(number)}`;
  }
}

const keysTaken = ({ log }: LockedApp<unknown>) => log.of('onAcquired').map(({ key }) => key);

describe('inherited classes', () => {
  it('5. an inherited method locks as in its base class', async () => {
    const booted = await bootWith(Plain);
    expect(await booted.service.ship('1')).toBe('base 1');
    expect(await booted.service.sweep()).toBe('Plain');
    expect(keysTaken(booted)).toEqual(['base:1', 'Base.sweep']);
  });

  it('5. own locked methods and own injected properties go beside inherited ones', async () => {
    const booted = await bootWith(Own, { providers: [{ provide: 'CARRIER', useValue: 'pigeon' }] });
    expect(await booted.service.book('1')).toBe('pigeon 1');
    expect(await booted.service.ship('1')).toBe('base 1');
    expect(keysTaken(booted)).toEqual(['own:1', 'base:1']);
  });

  it('5. an override without the decorator is not locked', async () => {
    const booted = await bootWith(Undecorated);
    expect(await booted.service.ship('1')).toBe('mine 1');
    expect(keysTaken(booted)).toEqual([]);
  });

  it('5. an override without the decorator is locked where it calls super', async () => {
    const booted = await bootWith(CallingSuper);
    expect(await booted.service.ship('1')).toBe('mine, then base 1');
    expect(keysTaken(booted)).toEqual(['base:1']);
    expect(booted.service.runs).toBe(1);
  });

  it('5. an override with the decorator locks its own key, and that of super inside', async () => {
    const booted = await bootWith(Redecorated);
    expect(await booted.service.ship('1')).toBe('locked, then base 1');
    expect(keysTaken(booted)).toEqual(['derived:1', 'base:1']);
  });

  it('5. an override on the key of super re-enters it (peers.md 20)', async () => {
    const booted = await bootWith(SameKey);
    expect(await booted.service.ship('1')).toBe('locked, then base 1');
    expect(keysTaken(booted)).toEqual(['base:1']);
  });
});
