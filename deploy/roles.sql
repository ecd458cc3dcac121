-- Run once, by PostgreSQL's image: the owner of the tables, and the roles of the parts, which own nothing.
\getenv owner OWNER_PASSWORD
\getenv proxy PROXY_PASSWORD
\getenv learner LEARNER_PASSWORD
\getenv console CONSOLE_PASSWORD
CREATE ROLE outcome_monitors LOGIN PASSWORD :'owner';
CREATE ROLE monitors_proxy LOGIN PASSWORD :'proxy';
CREATE ROLE monitors_learner LOGIN PASSWORD :'learner';
CREATE ROLE monitors_console LOGIN PASSWORD :'console';
CREATE DATABASE outcome_monitors OWNER outcome_monitors;
REVOKE ALL ON DATABASE outcome_monitors FROM PUBLIC;
GRANT CONNECT ON DATABASE outcome_monitors TO monitors_proxy, monitors_learner, monitors_console;
