import { type Ballot, type Ballots, quorumOf, type Vote } from './redlock-attempt.js';
import { RedlockQuorumError } from './redlock-quorum.error.js';

export function quorumError(ballots: Ballots): RedlockQuorumError {
  return new RedlockQuorumError([...ballots].map(([{ name }, ballot]) => `${name}: ${textOf(ballot)}`));
}

/** Too many failed: there would have been no majority even if the key had been free. */
export function isUnavailable(ballots: Ballots): boolean {
  const failed = [...ballots.values()].filter((ballot) => ballot instanceof Error).length;
  return ballots.size - failed < quorumOf([...ballots]);
}

/** What those who wait can know of a busy key. */
export interface Busyness {
  /** Who holds it on most nodes. */
  readonly holder: string | undefined;
  /** No one can hold it on a majority: several have tried at once. */
  readonly isSplit: boolean;
  /** Milliseconds until so many leases have ended that a majority could agree; infinite if that cannot be told. */
  readonly freeIn: number;
}

export function busynessOf(ballots: Ballots): Busyness {
  const quorum = quorumOf([...ballots]);
  const votes = [...ballots.values()].filter(isVote);
  const holders = votes.flatMap((vote) => (vote.for ? [] : vote.holder));
  const held = (holder: string) => holders.filter((each) => each === holder).length;
  const holder = holders.toSorted((a, b) => held(b) - held(a))[0];
  const unheard = ballots.size - votes.length;
  const ends = votes.map((vote) => (vote.for || vote.expiresIn < 0 ? 0 : vote.expiresIn));
  return {
    holder,
    isSplit: (holder === undefined ? 0 : held(holder)) + unheard < quorum,
    freeIn: ends.toSorted((a, b) => a - b)[quorum - 1] ?? Number.POSITIVE_INFINITY,
  };
}

function isVote(ballot: Ballot): ballot is Vote {
  return ballot !== undefined && !(ballot instanceof Error);
}

function textOf(ballot: Ballot): string {
  if (ballot === undefined) return 'not heard yet';
  if (ballot instanceof Error) return ballot.message;
  if (ballot.for) return 'for';
  const left = ballot.expiresIn < 0 ? 'without an end' : `for ${ballot.expiresIn} ms more`;
  return `against, held by ${ballot.holder} ${left}`;
}
