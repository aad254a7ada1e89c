export { isPersonName, PERSON_NAME_MAX, personName } from './person-name';
