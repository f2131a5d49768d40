/* init_words.c - what column names mean, in English, German, French, Spanish and Italian. The
 * patterns of a list, which hr_name_match describes, are separated by blanks; accents are removed
 * from names, so patterns have none. The longest match decides: `country of birth` is a country,
 * `cause of death` a cause. */
#include "run/init/init.h"

#include <string.h>

const char hr_time_words[] =
    "date datum dat dt day tag jour dia giorno month mon mth monat mois mes mese year yr jahr "
    "annee ano anno an hour hr stunde heure hora ora time zeit uhrzeit weekday wochentag quarter "
    "quartal trimestre fecha data timestamp seit since depuis desde *datum *date *jahr *monat *tag "
    "*zeitpunkt *year";

const char hr_number_words[] =
    "id ids nr no num number nummer numero nro nbr code cod codice codigo key kennung kennziffer "
    "identifiant identificador identificativo identifier schlussel ref index idx seq serial "
    "laufnummer lfd lfdnr *nummer *nr *id *kennzeichen identificacion uid pid";

/* Whom or what a number stands for if it stands for a person. */
const char hr_person_words[] =
    "patient* pat person* pers client* subject* respondent* case fall* member kunde* kunden* "
    "versicher* mitarbeiter* employee emp student pupil schuler* participant* proband* teilnehmer* "
    "household* haushalt* hh record user customer* donor individu* assure* dossier expediente "
    "pratica cartella pazient* pacient* malade cliente persona* matricul* encounter visit* episod* "
    "admission aufnahme* ricover* resident citizen beneficiar* claim* policy* police survey "
    "interview* fragebogen* questionnaire cuestionario questionario foyer menage hogar famiglia "
    "enquete encuestad* intervistat* schedad* worker account konto* file akte* aktenzeichen "
    "antrag* bescheid* alumn* eleve studente empleado dipendente salarie";

const hr_concept hr_concepts[] = {
    /* ---- Identifiers ---- */
    {HR_MEANS_PERSON_NUMBER, "number of a person",
     "ssn socialsecurity socialsecuritynumber mrn nhsnumber nhs medicalrecord* sozialversicherung* "
     "svnr svnummer steuerid steuernummer steueridentifikation* versichertennummer "
     "versicherungsnummer versichertennr kvnr patientennummer patientennr patientenid patientid "
     "patid fallnummer fallnr fallid personalnummer personennummer personenkennzeichen "
     "personalausweis* ausweis* reisepass* passport* passeport pasaporte passaporto ahv ahvnr "
     "ahvnummer nir numerosecu numerosecuritesociale securitesociale nss insee dni nif nie "
     "seguridadsocial codicefiscale codfisc codfiscale tesserasanitaria matricola matricule "
     "matrikelnummer matrikelnr iban kontonummer accountnumber creditcard* kreditkarte* uuid guid "
     "rowid recordid recordnumber driverlicense driverslicense fuhrerschein* licenseplate plate "
     "kraftfahrzeugkennzeichen kfzkennzeichen vin caseid caseno casenumber subjectid personid "
     "householdid hhid haushaltsnummer respondentid respid idnumber idno taxid taxpayer* "
     "nationalid "
     "numeropatient numerodossier historiaclinica numerohistoria nhc cartellaclinica employeeid "
     "staffid studentid memberid customerid userid username login msisdn imei imsi iccid "
     "macaddress "
     "deviceid advertisingid cookieid policynumber policyno polizzanumero "
     "versicherungsscheinnummer "
     "vsnr passnummer passnr nummerpersonalausweis pesel bsn cpf ssnummer sozversnr "
     "membershipnumber badgenumber barcode numerosocio numadherent tarjetasanitaria cip hic mbi"},
    {HR_MEANS_PERSON_NAME, "name of a person",
     "name fullname surname lastname firstname forename givenname middlename maidenname familyname "
     "vorname nachname familienname zuname geburtsname rufname vornamen namen nom noms prenom "
     "prenoms nomfamille nomnaissance nombre nombres apellido apellidos nombrecompleto nome "
     "cognome "
     "nominativo nomecognome initials initialen patientname patientenname mothersname fathersname "
     "lname fname contactname doctor physician arzt hausarzt medecin medico medicocabecera gp "
     "manager supervisor vorgesetzt* sachbearbeiter* bearbeiter teacher lehrer* lehrkraft "
     "enseignant* docente insegnante profesor judge richter lawyer attorney betreuer* superieur "
     "jefe responsabile interviewer behandler nurse surgeon operateur chirurgien "
     "caseworker* sozialarbeiter* assistantesocial* tomador "
     "asegurado titular titulaire souscripteur contraente assicurato policyholder accountholder "
     "kontoinhaber* versicherungsnehmer* insuredname spousename "
     "interpreter dolmetscher* therapist* psychologist* reviewer examiner prufer pruferin "
     "klassenlehrer* physicianname referrer zuweiser nickname alias ansprechpartner* contactperson "
     "fachkraft* fallfuhrende* paciente mieter mieterin locataire inquilino officer beamter "
     "hebamme* midwife* sagefemme matrona ostetrica donneur "
     "donante spender patientin kunde kundin"},
    {HR_MEANS_PERSON_NAME, "name of a person",
     "=first =last maiden* contacttracer assistentesociale trabajadorsocial trabajadorasocial "
     "recruiter* seenby handledby enteredby recordedby approvedby authorizedby "
     "createdby interviewedby erfasstvon bearbeitetvon saisipar signature unterschrift "
     "apellidosnombre nomprenom nameperson attending* practitioner* clinician* consultant avocat "
     "avocate avvocato abogado abogada anwalt* conseiller* consigliere consejero berater* "
     "gestionnaire gestor gestora notar notaire sozialbetreuer* gutachter* referent referentin "
     "counselor* "
     "counsellor* advisor* instructor* professor* coach tracer erzieher* pfleger* zeuge* "
     "witness* emergencycontact nextofkin notfallkontakt employeename mgr vaccinator* impfarzt* "
     "crew* crewid"},
    {HR_MEANS_RELATIVE, "relative",
     "mother father mutter vater mere pere madre padre guardian* tuteur tutor tutore parent "
     "parents eltern erziehungsberechtigt*"},
    {HR_MEANS_PERSON_NUMBER, "number of a person",
     "=ticket ticketno ticketnumber rib bic numsecu numsecurite cuentabancaria "
     "bankaccount* *accountno rentenversicherungsnummer krankenversicherungsnummer nia nuhsa "
     "tarjeta* kartennummer cardnumber *cardno patientnbr encounternbr badge badgeno numcompte "
     "numerocompte nocompte agdref loyaltyno ipp nip nda "
     "npi hadmid stayid subjid usubjid seqn idno idresp personennr"},
    {HR_MEANS_CONTACT, "address or contact",
     "email *email* mail emailaddress phone *phone* tel telefon* telephone telefono telefonnummer "
     "mobile mobil mobilnummer handy* movil cellulare cell portable fax address* adress* direccion "
     "domicilio indirizzo anschrift street* strasse* *strasse str hausnummer hausnr housenumber "
     "rue calle via voie url website ip ipaddress latitude longitude lat lon lng geocode gps "
     "coordinates koordinaten coordonnees coordenadas coordinate xcoord ycoord facebook twitter "
     "photo foto"},
    {HR_MEANS_FREE_TEXT, "free text",
     "comment* kommentar* note notes notiz* remark* bemerkung* anmerkung* freitext* freetext "
     "commentaire* remarque* comentario* observacion* observaciones nota notas annotazion* "
     "osservazion* commenti narrative description beschreibung* descripcion descrizione anamnese "
     "anamnesi verbatim othertext otherspecify specify"},
    {HR_MEANS_WEIGHTING, "weight of a survey",
     "fnlwgt *wgt wgt* =perwt =hhwt *weightfinal *wght finalweight sampleweight samplingweight "
     "surveyweight pweight personweight householdweight *gewichtung* hochrechnung* "
     "*rechnungsfaktor designgewicht ponderation* *ponderat* ponder ponderacion coefficient "
     "poidssondage poidsond factorexpansion factorelevacion pesocampionario pesomuestral "
     "expansionfactor wt pwgtp weightfinal personwt"},
    /* ---- Quasi-identifiers ---- */
    {HR_MEANS_AGE, "age",
     "age ages agegroup ageband agep ageyears ageyrs agey age*years alter altersgruppe* "
     "altersklasse* lebensalter alterjahre edad edadanos grupoedad eta etaanni classeeta fasciaeta "
     "trancheage ageannees *alter ager ageatadmission ageatdeath agediagnosis"},
    {HR_MEANS_SEX, "sex",
     "sex gender *gender *gendr geschlecht* sexe sexo sesso genere genero genre sexcode gndr "
     "anrede salutation "
     "civilite malefemale"},
    {HR_MEANS_BIRTH, "birth date",
     "birth birthdate birthday birthyear birthmonth dob dateofbirth datebirth bday born yob "
     "yearbirth yearborn geb gebdat gebdatum gebjahr geburt geburts* geburtsdatum geburtsjahr "
     "geburtstag geborenam geboren jahrgang naissance datenaissance anneenaissance datnais "
     "datenais "
     "ddn nele nacimiento fechanacimiento fnac fecnac fechanac anonacimiento nascita datanascita "
     "annonascita natoil dtnasc birthdt dobyr nee neele fdn nato nata"},
    {HR_MEANS_POSTAL, "postal code",
     "zip zip* zipcode postal* postcode* plz *plz plz* postleitzahl* codepostal codpostal cp "
     "codigopostal cap codiceavviamento* npa codpostale codicepostale postnumber postalcode "
     "outcode"},
    {HR_MEANS_PLACE, "place",
     "city cityname town village ort wohnort stadt* gemeinde* ortschaft wohnsitz ville commune "
     "localite ciudad municipio municipality localidad poblacion citta comune comuneresidenza "
     "residence residenza residencia lieuresidence county countyname countyfips fips district "
     "distrikt kreis* landkreis bezirk* stadtteil departement departamento provincia province "
     "provinz quartier barrio quartiere borough neighbourhood neighborhood region* regione land "
     "bundesland state statenum statecode statefips statename kanton canton comunidad "
     "comunidadautonoma ccaa country* nation nativecountry staat pays pais paese nazione "
     "statoresidenza nationalit* nacionalidad nazionalita staatsangehorigkeit staatsburgerschaft "
     "citizen* citizenship cittadinanza ciudadania citoyennete birthplace placebirth pob "
     "geburtsort "
     "geburtsland lieunaissance paysnaissance lugarnacimiento paisnacimiento provincianacimiento "
     "luogonascita comunenascita paesenascita countrybirth birthcountry bpl location place lugar "
     "luogo lieu tract censustract blockgroup nuts nuts2 nuts3 ags gemeindeschlussel urbanicity "
     "urban rural metro msa puma hospital* klinik* krankenhaus* hopital* ospedale* facility* "
     "clinic "
     "clinica school* schule ecole escuela scuola university universitat hochschule universite "
     "universidad universita lycee colegio istituto etablissement struttura centro site zentrum "
     "standort filiale branchoffice immigra* yearimmigration einwanderung* =st statefip =cit =pobp "
     "nativity yrimmig countyfip precinct* constituency wahlkreis* wahlbezirk* circonscription "
     "seccionelectoral studienzentrum prufzentrum testcenter homecell cell sprengel accommodation* "
     "unterkunft* hebergement alojamiento alloggiamento shelter* fluchtland herkunftsland "
     "departementsresidence postaldistrict subdistrict gmina wijk domicile sede plant werk"},
    {HR_MEANS_PLACE, "place",
     "stations startstation endstation pickup* dropoff* abfahrtsort zielort abholort "
     "startort tatort crimescene origincity destination* ziel port embarked hafen airport* "
     "flughafen* haltestelle* arret stop zone zona sektor sector* block zipcodearea locationid "
     "pulocationid dolocationid homecity workcity worklocation arbeitsort lieutravail lugartrabajo "
     "luogolavoro herkunft herkunftsort provenance procedencia provenienza birthstate cntry "
     "brncntr gemeindegrosse* stadtgrosse* taillecommune tamanomunicipio citysize communitysize "
     "beat postamt stadtbezirk ortsteil regierungsbezirk arrondissement academie rectorat bassin "
     "cantone frazione rione parroquia isla island kommune lan fylke voivodeship gebiet oblast "
     "cabin healthboard* healthauthorit* healthdistrict* gesundheitsamt deprivation* imd simd "
     "quintile prefecture* prefectura prefettura questura geburtsstaat nationality* staat* "
     "regioncode laender prison jail jva gefangnis carcel carcere prisonname lsoa* msoa* =oa11 "
     "=oa21 suburb* gppractice* practice praxis hausarztpraxis courthouse* urbani* degurba* hosp "
     "=asl =usl farmacia pharmacy pharmacie apotheke* einrichtung*"},
    {HR_MEANS_EVENT, "date of an event",
     "admission* admit* admitted discharge* arrival* visit visitdate death* died accident* crash "
     "application enrol* enroll* registration marriage divorce hire* hired start end entry exit "
     "appointment examdate surgerydate operationsdatum onset diagnosisdate aufnahme* entlassung* "
     "einweisung* besuch* unfall* tod* sterbe* todesdatum eintritt* austritt* beginn ende "
     "antragsdatum eheschliessung* heirat* zuzug* wegzug* eintrittsdatum opdatum behandlungsdatum "
     "entree sortie dateentree datesortie hospitalisation deces datedeces embauche mariage visite "
     "ingreso fechaingreso alta fechaalta fallecimiento defuncion muerte accidente matrimonio "
     "contratacion inicio fin ricovero dataricovero dimissione dimissioni decesso morte incidente "
     "assunzione inizio fine iscrizione inscription inscripcion event* incident* interview "
     "interviewdate erhebung* befragung* deathmon deathday deathyear timestamp created updated "
     "year "
     "jahr annee anno ano month monat mois mes mese weekday wochentag date datum fecha hour "
     "schuljahr semester seit since depuis desde"},
    {HR_MEANS_STAY, "length of stay",
     "nights noches nachte nuits notti overnight* lengthstay los losdays staydays verweildauer* "
     "liegedauer liegetage verweiltage aufenthaltsdauer belegungstage dureesejour "
     "dureehospitalisation estancia diasestancia duracionestancia degenza giornidegenza "
     "duratadegenza timeinhospital daysinhospital stay"},
    {HR_MEANS_UNIT, "department",
     "station ward wards unitemedicale careunit pflegestation branch* filiale* sucursal* agence* "
     "department dept departement abteilung* unit unidad "
     "division bereich referat service servicio reparto ufficio oficina bureau section sezione "
     "seccion businessunit kostenstelle costcenter costcentre"},
    {HR_MEANS_TRAIT, "personal trait",
     "steuerklasse qualifica* categoriaprofessionale categoriaprofesional vehiclemake carmake "
     "race* "
     "ethnic* ethnie hispanic hispan latino ancestry origin ethnizitat herkunft* migration* "
     "migrationshintergrund origine etnia raza razza origen grupoetnico language* sprache "
     "muttersprache langue languematernelle idioma lenguamaterna lingua linguamadre mothertongue "
     "marital* maritalstatus maritl marst familienstand zivilstand personenstand etatcivil "
     "etatmatrimonial statutmatrimonial situationmatrimoniale situationfamiliale estadocivil "
     "statocivile married verheiratet spouse* relationship* relate beziehung verwandtschaft* "
     "parente* parentesco child* children numchildren nchildren numberchildren kids kinder* "
     "anzahlkinder kinderzahl enfant* nbenfants nombreenfants hijos numerohijos figli numerofigli "
     "nfigli household* householdsize hhsize familysize famsize haushaltsgrosse haushaltsgroesse "
     "haushaltstyp personenimhaushalt taillemenage menage personnesfoyer tamanohogar miembroshogar "
     "hogar componentifamiglia dimensionefamiglia nucleofamiliare componenti dependents siblings "
     "geschwister parity education* educ* educationnum schooling highestgrade bildung* "
     "schulbildung "
     "schulabschluss abschluss ausbildung* bildungsabschluss diplome* etudes niveauetudes "
     "niveauscolaire scolarite educacion estudios nivelestudios niveleducativo formacion "
     "istruzione "
     "titolostudio livelloistruzione scolarita degree qualification* major studiengang "
     "fachrichtung "},
    {HR_MEANS_TRAIT, "personal trait",
     "occupation* occup occ profession* job* jobtitle beruf* tatigkeit metier csp pcs "
     "categoriesocioprofessionnelle profesion ocupacion puesto cargo mestiere professione "
     "occupazione lavoro isco* soc workclass classworker employment* employ* empstat jobstatus "
     "erwerb* erwerbsstatus beschaftigung* berufsstatus anstellung emploi statutemploi "
     "situationemploi empleo situacionlaboral situacionprofesional condizioneprofessionale "
     "condizioneoccupazionale contratto tipocontratto contrat contrato vertragsart industry*"},
    {HR_MEANS_TRAIT, "personal trait",
     "kostentrager* modearrival arrivalmode versicherungsart versicherungsstatus payercode "
     "admissiontype admissionsource "
     "admissionlocation admissiontypeid admissionsourceid aufnahmeart aufnahmeanlass "
     "einweisungsart "
     "tipoingreso typeadmission modeadmission tipoadmision tiporicovero regimericovero "
     "referralsource "
     "transport* verkehrsmittel* modetransport transportmode mediotransporte mezzotrasporto "
     "mezzodi commut* pendel* vacation* urlaub* conges vacaciones ferie fahrzeug* vehicle* "
     "kilometerstand odometer kilometraje kilometrage kmstand chilometraggio baujahr foyer nbpers* "
     "perscharge sibsp parch "
     "pclass passengers passengercount partysize usertype customertype kundentyp clienttype "
     "distancefromhome entfernungwohnort foreign* auslander* etranger* extranjer* stranier* "
     "immigrant* isced* eisced bildungsniveau bildungsgrad schulabschl* berufsabschl* hochster* "
     "diplom laurea titolo partner lebenspartner* livingwith zusammenleben seniorcitizen senior "
     "veteranstatus workstatus worktype erwerbsform arbeitsverhaltnis* beschaftigt* position "
     "funktion fonction funcion funzione stelle poste puestotrabajo rolle role jobrole jobfamily "
     "joblevel jobtype career* karriere* workingyears totalworkingyears yearsservice dienstjahre "
     "berufserfahrung berufsjahre yearsatcompany numcompaniesworked businesstravel hausart "
     "gebaudeart propertytype tipovivienda tipoabitazione typehabitat statutlogement wohnstatus "
     "eigentum* mieteigentum mietereigentum locataireproprietaire sprachen langues idiomas lingue "
     "hobbies hobby loisirs aficiones sport* sportart instrument phenotype hairstyle build "
     "skincolor hautfarbe bloodgroup rhesus rh handed linkshander"},
    {HR_MEANS_TRAIT, "personal trait", /* a string of C has at most 4095 bytes */
     "branche wirtschaftszweig secteur* sector settore nace naics employer arbeitgeber employeur "
     "empleador firma company hoursweek hoursperweek weeklyhours workhours workinghours hours "
     "wochenstunden arbeitszeit arbeitsstunden heuressemaine horassemana horassemanales "
     "oresettimana oresettimanali seniority tenure dienstalter betriebszugehorigkeit anciennete "
     "antiguedad anzianita yearsemployed experience insurance* insurer payer paytype versicherung* "
     "krankenkasse kasse kassenart assurance mutuelle caisse regime seguro aseguradora "
     "assicurazione veteran military wehrdienst housing* dwelling wohnung* wohnform wohnsituation "
     "logement typelogement vivienda alloggio abitazione ownership homeowner vehicle* =mar =msp "
     "=schl =rel =relp =relshipp =rac1p =hisp =cow =esr =occp =indp =ind =wkhp =nchild =classwkr "
     "=labforce uhrswork =mil haircolor eyecolor handedness bloodtype blutgruppe groupesanguin "
     "gruposanguineo grupposanguigno team rank dienstgrad grade class klasse schulklasse "
     "jahrgangsstufe classe curso fach twin firstborn personstatus legalstatus aufenthaltsstatus "
     "residencepermit famstand famst familienst staatsangeh* staatsang statut empst empstatus "
     "erwst "
     "erwtyp migback migback* migstat migrationsst* brand* marca* marque* marke* automarke "
     "hersteller* manufacturer* fabricante fabricant casaproduttrice tariff* tarif* tariffa tarifa "
     "contracttype subscription* abonnement* abbonamento abo abotyp handset* phonemodel yeargroup "
     "nativelanguage firstlanguage homelanguage religionsunterricht berufstatig* erwerbstatig* "
     "employed kundeseit membersince clientedesde clientdepuis mitgliedseit anzahlpersonen "
     "livingsituation livesalone alleinlebend alleinerziehend* singleparent bildungsst* schulform "
     "schooltype* tipoescuela typeetablissement rama ramaactividad tenencia regimentenencia "
     "inquadramento familienform schulart programme programm course modestudy studienform "
     "membershiptype couple carico fte beat driver* fahrer* conducteur* conductor* conducente* eal "
     "*fahrleistung mileage kilometrage lebensform wohnverhaltnis pensionista retired "
     "haustier* pet pets rooms zimmer "
     "zimmerzahl habitaciones stanze personenzahl wohnflache surface superficie vehicletype "
     "householdtype iwi tribe* clan caste* hsize econstat* economicstatus insplan insuranceplan "
     "healthplan referralsrc =plan alleinerz* trabaja travaille lavora"},
    /* ---- Sensitive attributes ---- */
    {HR_MEANS_CODE, "diagnosis",
     "diagnos* *diagnos* diag diag* dx dx* icd icd* icd10 icd9 icdcode hauptdiagnose "
     "nebendiagnose* diagnostic* cim10 cim cie cie10 cie9 diagnosi drg gdrg ghm grd ops opscode "
     "ccam cpt procedure* prozedur* acte procedimiento procedura intervento atc snomed *icd"},
    {HR_MEANS_HEALTH, "health",
     "hospitali* ospedalizz* krankenhausaufenthalt* comorbid* begleiterkrankung* komorbid* "
     "vorbefund* "
     "variant* variante* strain serotype quarantine* isolation* exposure* tested symptomatic* chol "
     "trestbps fbs restecg thalach exang oldpeak thal sysbp diabp *bp alt ast ggt alp bili* urea "
     "harnstoff urea creat gluc hgb bloodsugar zucker insulin* nummedications *medications "
     "*procedures labtest* labvalue* laborwert* aeterm aesev aeser aedecod aebodsys aeout dthfl "
     "dth* ae adr physicalactivity activitylevel korperlicheaktivitat activitephysique "
     "actividadfisica attivitafisica obes* adipos* ubergewicht* bodymass* gcsscore qol "
     "qualityoflife lebensqualitat* chronic* chronisch* chronique* cronic* discharge*location "
     "dischargelocation dischargestatus hospitalexpireflag expire* dementia demenz* epilep* "
     "transplant* dialys* ald lesionado herid* wound* fractur* fraktur* burn implant* prosthes* "
     "prothes* protes* hearing* vision* seh* mobilityaid rollstuhl wheelchair alcoholism "
     "fallrisk krank krankenstand krankgeschrieben sick* arretmaladie arretstravail bajamedica "
     "malato* testresult testergebnis viralload ctvalue antikorper immun* vaccine* dosis* doses "
     "reha* rehabilit* palliativ* suffering burnout adhd autis* hospitalstay menopaus* "
     "contracept* verhutung* fertil* ivf abort* miscarr* fehlgeburt* diet* ernahrung* cholesterin* "
     "gehfahig* hypert* glyc* ferritin* thyroid* tsh vitamin* eisenwert oxygen* sauerstoff* "
     "respiratory* atemfrequenz temp korpertemp* steatos* nutrition* apnea apnoe"},
    {HR_MEANS_HEALTH, "health",
     "entlassungsgrund entlassgrund dischargereason dischargedisposition dischargedestination "
     "modesortie motivoalta steps stepcount schritte sleep* sleephours hourssleep* schlaf* "
     "sommeil* "
     "sueno* sonno* calorie* kalorien* malattia* giornimalattia joursmaladie fitness* wellbeing* "
     "wohlbefinden* bienestar* benessere* disease* illness condition* krankheit* erkrankung* "
     "*erkrankung vorerkrankung* maladie* pathologi* affection enfermedad* patologia* symptom* "
     "sintom* treatment* behandlung* therap* traitement* tratamiento* terapia* drug* medication* "
     "medicine medikament* medicament* farmac* wirkstoff dose dosis fachabteilung* "
     "specialty speciality fachrichtungabteilung outcome* ausgang behandlungsergebnis issue "
     "resultado* esito result* ergebnis* resultat* befund* hiv aids hepatit* covid* cancer* krebs "
     "tumor* tumour* tumeur stage stadium metast* diabet* hypertens* hypertonie hipertension "
     "ipertensione asthma copd stroke schlaganfall infarct* heart* cardi* depress* anxiety mental* "
     "psych* blood* blut* hemoglobin* haemoglobin* hamoglobin* hemoglobine emoglobina hb hba1c "
     "glucose glukose glycemie glucosa glicemia cholest* kreatinin* creatin* crp ldl hdl "
     "triglycerid* leuko* lab labor* bmi imc bp bloodpressure sbp dbp systol* diastol* blutdruck* "
     "tension* presion* pressione* pulse puls heartrate pouls pulso temperature temperatur fieber "
     "fever spo2 saturation weight weight* weightkg gewicht* korpergewicht poids peso pesokg "
     "height "
     "height* heightcm grosse groesse* grosse* korpergrosse taille talla estatura altura altezza "
     "statura birthweight geburtsgewicht poidsnaissance pesonacimiento pesonascita smok* raucher* "
     "tabak* fume* tobacco* tabac* tabaco fumador fumo fumatore alcohol* alkohol* alcool* disab* "
     "behinder* "
     "schwerbehinder* handicap* discapacidad* disabil* invalid* pflegegrad pflegestufe pregnan* "
     "schwanger* grossesse embarazo* gravidanza deceased verstorben* decede* fallecid* deceduto "
     "mortality survival survived alive vitalstatus dead death deathind cause* todesursache "
     "ursache* causa* injur* verletzung* blessure* lesion* lesione* severity schweregrad gravite "
     "gravedad gravita complication* komplikation* allerg* vaccin* impf* vacuna* health* "
     "gesundheit* sante* salud* salute* surgery* operation* readmi* adverse* sideeffect* "
     "nebenwirkung* forderbedarf* specialneeds needs =dis arm randomi* riskscore score apache gcs "
     "asa nyha pain schmerz* sleep diet exercise genotype gene mutation biomarker ecg ekg egfr "
     "sodium potassium natrium kalium albumin wbc rbc plt colesterol* sofa ptsd trauma* "
     "familienanamnese familyhistory antecedent* antecedentes anamnesifamiliare abbruchgrund* "
     "allergen* senstatus sensupport sen specialeducation forderstatus bed beatmung* ventilation "
     "apgar gravida para ecog karnofsky mood moral drinks gestation* "
     "icu intensiv* readmission* resting* sistolica diastolica frecuenciacardiaca frequenza* "
     "frequence* dolor douleur dolore gravid* parity infektion* infection* infezione* virus* "
     "viral* "
     "pcr antigen* antibod* antikorper* serolog* phq* gad7 bdi eq5d sf36 moca mmse barthel "
     "pflegebedarf* pain* medik* sintomas srhealth selfratedhealth mortal* eingriff* substanz* "
     "drogen* droga* droghe drogue* cannabis* vap* binge* counselling* counseling* beratung* "
     "bodyfat fatpct sucht* addict* dependence* toxicoman* tossicodip* hilfsmittel alerg* "
     "contreindication* contraindic* principioactivo principeactif ingredient wirkstoffe envases "
     "packungen boites dispensation esigenze* alimentar* dietar* acnee acneae neae reaction* "
     "reaktion* reaccion* reazion*"},
    {HR_MEANS_MONEY, "money",
     "netos neto fare* tip tips tipamount toll* hourlyrate dailyrate monthlyrate payrate rateofpay "
     "stundenlohn "
     "tagessatz stundensatz tarifgruppe lohngruppe gehaltsgruppe entgelt* besoldung* vergutung* "
     "paygrade payband paylevel salarygrade salaryband commission* provision* comision* "
     "provvigion* stock* equity* aktien* fonds wertpapier* invest* collateral* sicherheit* "
     "guarantee* propertyvalue propertymagnitude hauswert immobilienwert emi installment* "
     "instalment* mensualit* cuota* rata* ratenhohe tilgung* checking* savings creditlines "
     "revolving* utilization* hinc* hincome* expenses haushaltseinkommen lohnsteuer* "
     "kirchensteuer* "
     "sozialabgaben netto brutto netpay grosspay nettopay bruttopay salairenet salairebrut impots "
     "tauximposition irpef irpf nettolohn bruttolohn nomina* busta* compensi ricavi fatturato "
     "guthaben uberziehung* ubeziehung dispo rendita* alimony unterhalt* pensionalimenticia "
     "alimenti lebensversicherung* payout* erstattung* rembours* reembols* rimbors* zuzahlung* "
     "resteacharge settlement* regulierung* indemn* entschadigung* deducible* franchigia* "
     "selbstbehalt* coverageamount deckungssumme spent ausgabe* umsatz ticketprice subsidy* "
     "subsid* "
     "foodstamps snap benefits welfare* grundsicherung burgergeld rsa caf* bonusmalus hypothek"},
    {HR_MEANS_MONEY, "money",
     "sumassured suminsured versicherungssumme householdincome familyincome dti debt* schuld* "
     "dette* deuda* debito* debiti* interestrate "
     "zinssatz* mortgageamount* overdraft* creditlimit* kreditlimit* saldo* balance* income* "
     "*income inc einkommen* *einkommen nettoeinkommen revenu* ingreso*bruto ingresos* renta* "
     "reddito* salar* gehalt* lohn* *lohn *gehalt verdienst* salaire* sueldo* stipendio* "
     "retribuzione* remuneration* wage* wages pay payroll earn* earnings tax* *tax steuer* impot* "
     "impuesto* imposta* tasse* agi wealth asset* vermogen* patrimoine patrimonio* schulden "
     "credit* "
     "kredit* loan* darlehen* pret prestamo* prestito* mortgage* hypothek* hypotheque hipoteca* "
     "mutuo solde* kontostand cost* costs kosten* *kosten cout* coste* costo* price* preis* prix "
     "precio* prezzo* charge* totalcharges betrag* amount* montant* importe* importo* payment* "
     "zahlung* benefit* leistung* sozialhilfe* arbeitslosengeld* beihilfe* kindergeld allocation* "
     "prestation* prestacion* subsidio* sussidio* pension* rente* retraite* jubilacion* pensione* "
     "capital* capitalgain capitalloss dividend* interest* zins* interet* interes* interess* "
     "expend* ausgaben depense* gasto* spes* rent miete* loyer* alquiler* affitto* bonus spend* "
     "revenue turnover umsatz* profit* fee fees honorar* =pincp =wagp =pernp =hincp =fincp inctot "
     "incwage hhincome prime prima primes premium* premie premio pramie* pramien* beitrag* "
     "cotisation* *bill bills billing* invoice* rechnung* factura* facture* fattura* compens* "
     "abfindung* zulage* zuschlag* bonif* deduct* franchise* selbstbeteiligung claimamount payout* "
     "auszahlung* einzahlung* deposit* depot* ahorro* risparmi* epargne* savings* sparguthaben "
     "spareinlage* nettowert networth turnover* arrears* ral bursary grant* stipend* wohngeld "
     "leistungsbezug *miete copago copay* ticketmoderateur haushaltsnetto mietruckstand "
     "regelbedarf* regelsatz*"},
    {HR_MEANS_SECRET, "private matter",
     "weapon* waffe* arme* arma armi victimi* *problem* kwh consumption* consumo* consumi* visits "
     "visitas visites besuche priors* prior juv* recid* felon* misdemean* warrant* "
     "incidenttype tipoincidente typeincident charge chargedegree chargedesc* tatvorwurf vorwurf* "
     "modusoperandi possession bail probation* bewahrung* parole gefangn* inmate* haftstrafe "
     "purpose* verwendungszweck kreditzweck zweck finalidad finalita scopo objetpret motivo* "
     "claim* schaden* *schaden unfallart accidenttype unfallschwere unfallursache collision* "
     "overtime* uberstunden heuressup* heuressupplementaires horasextra* straordinari* attrition "
     "lunch* failures failed repetit* wiederhol* redoubl* repetidor* ripetent* sitzengeblieben "
     "exam* prufung* klausur* examen* esame* esami testergebnis* puntuacion* puntaje punteggio* "
     "promedio mediavoti *schnitt durchschnitt* zensuren ects credits happy* trst* trst lrscale "
     "leftright "
     "linksrechts polint* glucklich* bonheur felicidad felicita bankrupt* insolvenz* "
     "privatinsolvenz fraud* nps zufriedenh* churned kundigungs* kundigt* beschwerd* datausage "
     "internetusage "
     "minutes* roaming* datenvolumen datenverbrauch smsversandt internetusage screen* "
     "sexualit* sexorient* lgbt* coming affair* trustpol* necesidades besoins bisogni *hemmnis "
     "*hindernis suspensas suspensos insufficienze math maths mathe* mathematic* matematic* "
     "mathematik* reading writing science* physics physik chemistry chemie meal* unpaidleave "
     "leavedays absence sanktionen vulnerab* vertrauen loneliness* isolement soledad "
     "solitudine aggress* threat* bedroh* menace* amenaza* minacc* harassment protest* "
     "militan* partymember* strikes streik* resign* dismiss* reprimand* verwarnung* avertiss* "
     "notafinal notamedia notefinale noteexamen endnote abschlussnote abiturnote nc "
     "extremis* illegal* undocumented refugee* fluchtling* adopted* adopti* scheidungsgrund "
     "infidel* porn* gambl* gluckspiel* glucksspiel* verspielt wager* bets"},
    {HR_MEANS_SECRET, "private matter",
     "impay* fines* fine bussgeld* amende* multa* loansthisyear loancount default* fraud* betrug* "
     "fraude* frode* frodi* moros* impag* insolv* zahlungsausfall* delinquen* overdue* mahn* "
     "boursier* bourse* scholarship* becari* beca becas borsastudio stipendiat* bafog valutazion* "
     "valoracion* appreciation* evaluacion* appraisal* syndicat* sindicat* sindacat* gewerkschaft* "
     "tradeunion* grievance* arrest* verdict* sentence* relig* konfession* confession* faith "
     "glaube* culto politic* politik* partei* party parti partido* partito* vote* voting wahl* "
     "stimme voto* votacion* intencionvoto union unionmember orientation sexualorientation "
     "sexuelle* orientierung criminal* offen* crime* delikt* straftat* vorstrafe* delit* "
     "infraction* delito* reato* reati conviction* convicted verurteil* urteil* condamnation* "
     "condena* condanna* strafe* peine* pena* verdict prison* prision* haft* recidiv* mark* marks "
     "gpa "
     "schulnote* noten zensur* moyenne* calificacion* voti votomedio examscore testscore punkte "
     "punktzahl score* iq performance* evaluation* beurteilung* bewertung* rating* satisf* "
     "zufrieden* satisfaccion* soddisf* opinion* meinung* attitude* happiness trust* vertrauen* "
     "stress absence* sickdays sickleave fehlzeit* krankheitstage fehltage bajas assenze "
     "disciplin* "
     "termination* kundigung* default target label victim* violence* gewalt* abuse* misshandlung* "
     "asyl* asylum* belief* secret sanction* sanktion* fallout dropout abbruch *note *noten "
     "freeschoolmeals fsm bull* mobbing* harcel* acoso* bullismo* harass* attendance* anwesenheit* "
     "asistencia* absent* selfesteem latepayments selbstwert* autoestima* autostima* lifesat* "
     "lebenszufriedenheit* wellbeing* einsam* lonel* likes* decision* entscheid* asylgrund* "
     "grounds* *grund reason* motif* force disposition exclusion* review* detain* detention* "
     "inhaft* verbrauch* consum* conso consommation* "
     "calls* churn* cancelled complain* beschwerde* reclam* plainte* siniestro* sinistr* claims "
     "claimcount schadenzahl anzahlschaden latepayment* retard* retraso* ritard* verspat* bonitat* "
     "solven* solvab* "
     "creditrating risk* risiko* risque* riesgo* rischio* syndiqu* sindicaliz* sindacalizz* *score "
     "*rating donat* spende* dons donacion* donazion* searchhistory browsing* purchas* kaufe "
     "einkauf* achat* compras acquisti* password pin tattoo gang* radical* extrem* suicid* "
     "selbstmord* selfharm sorgerecht custody garde affidamento custodia arthilfe hilfeart award* "
     "finalaward gefahrd* kindeswohl* withdrawn datausage abmahnung* warning* speed points "
     "penaltypoints paid politiq* politis* ideolog* actiontaken plea appels* llamadas* chiamate* "
     "anrufe* sonntagsfrage* demokrat* democra* kirchgang* gottesdienst* churchgoing "
     "*zufriedenheit"},
    {HR_MEANS_NOTHING, NULL, NULL},
};

bool hr_next_pattern(const char **list, char pattern[HR_WORD_ROOM]) {
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    if (length == 0) return false;
    snprintf(pattern, HR_WORD_ROOM, "%.*s", (int)length, *list);
    *list += length;
    return true;
}

static bool in_list(const char *list, const char *text) {
    char pattern[HR_WORD_ROOM];
    while (hr_next_pattern(&list, pattern)) {
        size_t length = strlen(pattern);
        if (length > 3 && pattern[length - 1] == '*') pattern[length - 1] = '\0';
        if (!strcmp(*pattern == '=' ? pattern + 1 : pattern, text)) return true;
    }
    return false;
}

bool hr_word_known(const char *text) {
    if (in_list(hr_person_words, text) || in_list(hr_number_words, text)) return true;
    for (const hr_concept *concept = hr_concepts; concept->patterns; concept ++)
        if (in_list(concept->patterns, text)) return true;
    return false;
}

/* The longest match of the patterns of all concepts but `except`. */
static const hr_concept *find_match(const hr_name_words *name, hr_meaning except) {
    const hr_concept *best = NULL;
    size_t best_length = 0;
    for (const hr_concept *concept = hr_concepts; concept->patterns; concept ++) {
        if (concept->meaning == except) continue;
        char pattern[HR_WORD_ROOM];
        for (const char *list = concept->patterns; hr_next_pattern(&list, pattern);) {
            size_t length = hr_name_match(name, pattern);
            bool exact = !strchr(pattern, '*');
            length = length * 2 + (length > 0 && exact);
            if (length <= best_length) continue;
            best_length = length;
            best = concept;
        }
    }
    return best;
}

/* ---- Words that no pattern matches ---- */

enum { SHORT_LEAST = 4, SHORT_MOST = 7, LEFT_OUT = 3, HEAD_LEAST = 6, COMPOUND_LEAST = 8 };

/* The letters of a pattern without its stars; NULL: it stands for the whole name only. */
static const char *letters_of(char *pattern) {
    if (*pattern == '=') return NULL;
    size_t length = strlen(pattern);
    if (pattern[length - 1] == '*') pattern[length - 1] = '\0';
    hr_name_fold(pattern);
    return pattern + (*pattern == '*');
}

/* `redd` for reddito: the word begins a longer one. Whole words such as `days` are not short. */
static bool is_short_for(const char *word, const char *full) {
    static const char whole[] =
        "days tage jours dias giorni hours heures stunden horas minutes term beat";
    size_t length = strlen(word);
    return length >= SHORT_LEAST && length <= SHORT_MOST && strlen(full) >= length + LEFT_OUT &&
           strncmp(word, full, length) == 0 && !in_list(whole, word) &&
           !in_list(hr_time_words, word) && !in_list(hr_number_words, word) &&
           !in_list(hr_person_words, word);
}

/* `kindsgewicht` is a gewicht: a German compound ends with what it is. */
static bool is_compound_of(const char *word, const char *head) {
    size_t length = strlen(word), own = strlen(head);
    return own >= HEAD_LEAST && length >= COMPOUND_LEAST && length > own + 1 &&
           strcmp(word + length - own, head) == 0;
}

/* Names of people, numbers and events are no guess: dates tell an event by themselves. */
static bool may_be_short(const hr_concept *concept) {
    return concept->meaning > HR_MEANS_FREE_TEXT && concept->meaning != HR_MEANS_EVENT;
}

/* How many words of the name may be short for words of the concept. */
static size_t count_short(const hr_name_words *name, const hr_concept *concept) {
    bool found[HR_WORDS_MOST] = {false};
    size_t count = 0;
    char pattern[HR_WORD_ROOM];
    for (const char *list = concept->patterns; hr_next_pattern(&list, pattern);) {
        const char *letters = letters_of(pattern);
        for (size_t i = 0; letters && i < name->count; i++)
            found[i] = found[i] || is_short_for(name->words[i], letters);
    }
    for (size_t i = 0; i < name->count; i++)
        count += found[i];
    return count;
}

/* The concept that most words of the name may be short for, unless two are equally likely. */
static const hr_concept *find_shortened(const hr_name_words *name, hr_meaning except) {
    const hr_concept *best = NULL;
    size_t most = 0;
    for (const hr_concept *concept = hr_concepts; concept->patterns; concept ++) {
        if (concept->meaning == except || !may_be_short(concept)) continue;
        size_t count = count_short(name, concept);
        if (count > 0 && count == most && best && best->meaning != concept->meaning) best = NULL;
        if (count <= most) continue;
        most = count;
        best = concept;
    }
    return best;
}

/* The concept of the compound with the longest end. */
static const hr_concept *find_compound(const hr_name_words *name, hr_meaning except) {
    const hr_concept *best = NULL;
    size_t longest = 0;
    for (const hr_concept *concept = hr_concepts; concept->patterns; concept ++) {
        if (concept->meaning == except) continue;
        char pattern[HR_WORD_ROOM];
        for (const char *list = concept->patterns; hr_next_pattern(&list, pattern);) {
            const char *letters = letters_of(pattern);
            for (size_t i = 0; letters && i < name->count; i++) {
                if (strlen(letters) <= longest || !is_compound_of(name->words[i], letters))
                    continue;
                longest = strlen(letters);
                best = concept;
            }
        }
    }
    return best;
}

/* Whom a column describes: the age of the victim is an age, the income of the father an income. */
static const char described_words[] =
    "officer victim victims offender suspect perpetrator defendant patient patients claimant "
    "insured "
    "applicant coapplicant borrower partner spouse husband wife mother father mothers fathers "
    "parent parents parental maternal paternal guardian employee customer client student pupil "
    "respondent participant driver passenger rider tenant donor recipient beneficiary buyer s "
    "opfer tater patienten versicherten antragsteller kunde kunden mutter vater ehepartner "
    "mitarbeiter schuler mieter victime auteur malade assure demandeur conjoint mere pere salarie "
    "eleve etudiant locataire victima agresor paciente asegurado solicitante conyuge madre padre "
    "cliente empleado alumno vittima autore paziente assicurato richiedente coniuge dipendente "
    "alunno";

const hr_concept *hr_concept_find(const hr_name_words *name, hr_meaning except) {
    hr_name_words rest;
    const hr_concept *best = NULL;
    if (hr_name_without(name, described_words, &rest)) best = find_match(&rest, except);
    if (!best) best = find_match(name, except);
    if (!best) best = find_compound(name, except);
    return best ? best : find_shortened(name, except);
}
