/** All texts in one chunk a language; a file for each part of the console. */
import common from './zh/common.json';
import login from './zh/login.json';
import shell from './zh/shell.json';

export default { ...common, ...shell, ...login };
