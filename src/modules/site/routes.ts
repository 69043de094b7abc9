/** What the operator tells everybody: `/api/notice`, `/api/about`, `/api/home_page_content`. */
import { Elysia } from 'elysia';
import { ok } from '../../http/envelope.ts';
import type { Deps } from '../deps.ts';

/** Each answers safe HTML, or the address of a page that is to be shown; empty where nothing is told. */
export const siteRoutes = ({ options }: Pick<Deps, 'options'>) =>
  new Elysia({ name: 'site', prefix: '/api' })
    .get('/notice', () => ok(options.get('Notice')))
    .get('/about', () => ok(options.get('About')))
    .get('/home_page_content', () => ok(options.get('HomePageContent')));
