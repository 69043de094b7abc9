/** All texts in one chunk a language; a file for each part of the console. */
import common from './en/common.json';
import login from './en/login.json';
import shell from './en/shell.json';

export default { ...common, ...shell, ...login };
