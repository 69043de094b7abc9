/** Where a call's bytes find room: in the share of whoever calls, and in that of his network, so that many accounts have one. */
import { shareOfUser } from '../core/share.ts';
import { type Room, together } from '../platform/body-budget.ts';
import { turnSubject } from '../platform/limiter.ts';
import type { RelayDeps } from './deps.ts';
import type { BodyTurn } from './entry/body.ts';
import type { RelayRequest } from './request.ts';

type Asker = Pick<RelayRequest, 'userId' | 'ip'>;

export const bodyRoom = (
  { userId, ip }: Asker,
  { bodies, bodiesByNetwork }: Pick<RelayDeps, 'bodies' | 'bodiesByNetwork'>,
): Room => together(bodies.of(userId), bodiesByNetwork.of(turnSubject(ip)));

const comingRoom = ({ userId, ip }: Asker, { coming }: Pick<RelayDeps, 'coming'>): Room =>
  coming.of(shareOfUser(userId), `network:${turnSubject(ip)}`);

/** Of what a caller sends, as long as it comes with a place among the bodies on their way. */
export const comingBodyRoom = (
  asker: Asker,
  deps: Pick<RelayDeps, 'bodies' | 'bodiesByNetwork' | 'coming'>,
): Room => together(bodyRoom(asker, deps), comingRoom(asker, deps));

/** The same on the disk. */
export const uploadRoom = (
  asker: Asker,
  deps: Pick<RelayDeps, 'uploads' | 'uploadsByNetwork' | 'coming'>,
): Room => {
  const { userId, ip } = asker;
  const { uploads, uploadsByNetwork } = deps;
  return together(uploads.of(userId), uploadsByNetwork.of(turnSubject(ip)), comingRoom(asker, deps));
};

/** Whose turn it is to have a body read. */
export const bodyTurn =
  ({ userId, ip }: Asker, { bodyTurns }: Pick<RelayDeps, 'bodyTurns'>): BodyTurn =>
  (chars, left) =>
    bodyTurns.take(chars, { who: shareOfUser(userId), network: turnSubject(ip) }, left);

/** Within a network who holds most gives way first: a neighbour's answers are not in the way of others. */
export const answerRoom = (
  { userId, ip }: Asker,
  { answersHeld, answersByNetwork }: Pick<RelayDeps, 'answersHeld' | 'answersByNetwork'>,
): Room =>
  together(answersHeld.of(userId), answersByNetwork.of({ name: `user ${userId}`, within: turnSubject(ip) }));
